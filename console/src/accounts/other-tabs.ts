import type { QueryClient } from "@tanstack/react-query";
import type { AnyRouter } from "@tanstack/react-router";
import { beginAnew, leaveEndedSession } from "./ended-session.ts";
import { ACCOUNT_KEY, parseAccount } from "./kept-account.ts";
import { sessionQuery } from "./session.ts";

/**
 * Follows the other tabs, which share this page's cookie: a sign-out in one leads this page to sign-in, and a sign-in
 * to another account reloads it.
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
