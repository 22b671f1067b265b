import type { QueryClient } from "@tanstack/react-query";
import type { AnyRouter } from "@tanstack/react-router";
import { beginAnew, leaveEndedSession } from "./ended-session.ts";
import { ACCOUNT_KEY, parseAccount } from "./kept-account.ts";
import { sessionQuery } from "./session.ts";

/**
 * Goes with the other tabs, whose cookie this page shares: where somebody signs out in one, it leads to sign-in; where
 * somebody else signs in, it is loaded anew, as theirs.
 */
export function followOtherTabs(place: {
  readonly router: AnyRouter;
  readonly queryClient: QueryClient;
}): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== ACCOUNT_KEY) return;
    const shown = place.queryClient.getQueryData(sessionQuery.queryKey) ?? null;
    if (shown === null) return;
    const account = parseAccount(newValue);
    if (account === null) {
      void leaveEndedSession(place);
    } else if (account.id !== shown.id) {
      beginAnew();
    }
  });
}
