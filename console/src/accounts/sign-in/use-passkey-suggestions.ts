import { useEffect } from "react";
import { passkeyObstacle } from "./passkey-obstacle.ts";
import { cancelPasskeys, signInWithSuggestedPasskey } from "./passkeys.ts";

/** Interval between passkey requests. The server's challenge expires after five minutes. */
const REQUEST_INTERVAL_MS = 4 * 60_000;

/** Lets the browser suggest passkeys in the e-mail field while the page is open. */
export function usePasskeySuggestions(onSignedIn: () => Promise<void>): void {
  useEffect(() => {
    let isUnmounted = false;
    const suggest = async () => {
      if (!(await isSupported()) || isUnmounted) return;
      await signInWithSuggestedPasskey();
      await onSignedIn();
    };
    // A failure is ignored: the person did not request suggestions, and the button still works.
    const begin = () => void suggest().catch(() => {});
    begin();
    const timer = setInterval(begin, REQUEST_INTERVAL_MS);
    return () => {
      isUnmounted = true;
      clearInterval(timer);
      if (passkeyObstacle() === null) void cancelPasskeys();
    };
    // `onSignedIn` does not change while the page is open.
  }, []);
}

async function isSupported(): Promise<boolean> {
  if (passkeyObstacle() !== null) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}
