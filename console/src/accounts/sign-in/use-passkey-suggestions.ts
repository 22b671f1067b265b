import { useEffect } from "react";
import { getPasskeyObstacle } from "./passkey-obstacle.ts";
import { cancelPasskeyRequest, signInWithSuggestedPasskey } from "./passkeys.ts";

/** Interval between passkey requests. The server's challenge expires after five minutes. */
const REQUEST_INTERVAL_MS = 4 * 60_000;

/** Lets the browser suggest passkeys in the email field while the page is open. */
export function usePasskeySuggestions(onSignedIn: () => Promise<void>): void {
  useEffect(() => {
    let isUnmounted = false;
    const suggestPasskeys = async () => {
      if (!(await areSuggestionsSupported()) || isUnmounted) return;
      await signInWithSuggestedPasskey();
      await onSignedIn();
    };
    // Ignores a failure: the person did not request suggestions, and the button still works.
    const startSuggestions = () => void suggestPasskeys().catch(() => {});
    startSuggestions();
    const timer = setInterval(startSuggestions, REQUEST_INTERVAL_MS);
    return () => {
      isUnmounted = true;
      clearInterval(timer);
      if (getPasskeyObstacle() === null) void cancelPasskeyRequest();
    };
    // `onSignedIn` does not change while the page is open.
  }, []);
}

async function areSuggestionsSupported(): Promise<boolean> {
  if (getPasskeyObstacle() !== null) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}
