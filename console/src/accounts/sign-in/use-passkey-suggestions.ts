import { useEffect } from "react";
import { passkeyObstacle } from "./passkey-obstacle.ts";
import { cancelPasskeys, signInWithSuggestedPasskey } from "./passkeys.ts";

/** Interval of new passkey requests: the server forgets its challenge after five minutes. */
const ASK_AGAIN_AFTER_MS = 4 * 60_000;

/** Lets the browser suggest passkeys in the address field while the page is open. */
export function usePasskeySuggestions(onSignedIn: () => Promise<void>): void {
  useEffect(() => {
    let isOver = false;
    const suggest = async () => {
      if (!(await isSupported()) || isOver) return;
      await signInWithSuggestedPasskey();
      await onSignedIn();
    };
    // The person did not ask for suggestions: without them there is still the button.
    const begin = () => void suggest().catch(() => {});
    begin();
    const timer = setInterval(begin, ASK_AGAIN_AFTER_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
      if (passkeyObstacle() === null) void cancelPasskeys();
    };
    // `onSignedIn` stays the same while the page is open.
  }, []);
}

async function isSupported(): Promise<boolean> {
  if (passkeyObstacle() !== null) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}
