import type { QueryClient } from "@tanstack/react-query";
import type { AnyRouter } from "@tanstack/react-router";
import { PATHS } from "../paths.ts";
import { clearToasts } from "../page/toasts.ts";
import { forgetDrafts } from "./kept-account.ts";
import { forgetData, sessionQuery, SIGNED_IN } from "./session.ts";
import { nextOf } from "./sign-in/next.ts";

interface Place {
  readonly router: AnyRouter;
  readonly queryClient: QueryClient;
}

let leaving: Promise<void> | null = null;

/**
 * Leads a page whose session was ended elsewhere to sign-in, which says so and leads back, and forgets what the person
 * saw. Does nothing if no account was signed in or the same one still is: a request may have crossed a new cookie.
 */
export function leaveEndedSession(place: Place): Promise<void> {
  leaving ??= leave(place).finally(() => {
    leaving = null;
  });
  return leaving;
}

/**
 * Reloads the page for another account that signed in elsewhere in this browser: otherwise the page would show one
 * account and act as the other.
 */
export function beginAnew(): void {
  forgetDrafts();
  location.reload();
}

async function leave({ router, queryClient }: Place): Promise<void> {
  const shown = queryClient.getQueryData(sessionQuery.queryKey) ?? null;
  if (shown === null) return;
  const account = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(
    // Without an answer nothing changes: the next refusal asks again.
    () => shown,
  );
  if (account !== null) {
    if (account.id !== shown.id) beginAnew();
    return;
  }
  clearToasts();
  const isInside = router.state.matches.some(({ routeId }) => routeId === `/${SIGNED_IN}`);
  if (isInside) {
    const search = { ...nextOf(router.state.location), ended: true };
    await router.navigate({ to: PATHS.signIn, search, replace: true });
  } else {
    await router.invalidate();
  }
  forgetData(queryClient);
}
