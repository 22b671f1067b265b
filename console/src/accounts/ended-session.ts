import type { QueryClient } from "@tanstack/react-query";
import type { AnyRouter } from "@tanstack/react-router";
import { PATHS } from "../paths.ts";
import { clearToasts } from "../page/toasts.ts";
import { deleteDrafts } from "./stored-account.ts";
import { removeCachedData, sessionQuery, SIGNED_IN_ROUTE_ID } from "./session.ts";
import { toNextSearch } from "./sign-in/next-path.ts";

/** The router and the query cache of the page. */
export interface PageDeps {
  readonly router: AnyRouter;
  readonly queryClient: QueryClient;
}

let pendingLeave: Promise<void> | null = null;

/**
 * Deletes the cached data after the session was ended elsewhere. If the page needs a session, opens the sign-in page,
 * which shows a notice and returns to this page after the sign-in. Reloads the page if another account is signed in.
 * Does nothing if no account was signed in, or if the same account is still signed in: the request may have been sent
 * before the browser received a new cookie.
 */
export function leaveEndedSession(deps: PageDeps): Promise<void> {
  pendingLeave ??= leaveIfEnded(deps).finally(() => {
    pendingLeave = null;
  });
  return pendingLeave;
}

/**
 * Deletes this tab's drafts and reloads the page after another account signed in elsewhere in this browser. Otherwise
 * the page would show one account and act as the other.
 */
export function reloadForNewAccount(): void {
  deleteDrafts();
  location.reload();
}

async function leaveIfEnded({ router, queryClient }: PageDeps): Promise<void> {
  const cachedAccount = queryClient.getQueryData(sessionQuery.queryKey) ?? null;
  if (cachedAccount === null) return;
  const account = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(
    // Without a response nothing changes. The next 401 checks again.
    () => cachedAccount,
  );
  if (account !== null) {
    if (account.id !== cachedAccount.id) reloadForNewAccount();
    return;
  }
  clearToasts();
  const needsSession = router.state.matches.some(
    ({ routeId }) => routeId === `/${SIGNED_IN_ROUTE_ID}`,
  );
  if (needsSession) {
    const search = { ...toNextSearch(router.state.location), ended: true };
    await router.navigate({ to: PATHS.signIn, search, replace: true });
  } else {
    await router.invalidate();
  }
  removeCachedData(queryClient);
}
