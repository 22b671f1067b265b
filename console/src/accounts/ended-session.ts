import type { QueryClient } from "@tanstack/react-query";
import type { AnyRouter } from "@tanstack/react-router";
import { PATHS } from "../paths.ts";
import { clearToasts } from "../page/toasts.ts";
import { forgetData, sessionKey, sessionQuery, SIGNED_IN } from "./session.ts";
import { nextOf } from "./sign-in/next.ts";

interface Place {
  readonly router: AnyRouter;
  readonly queryClient: QueryClient;
}

let leaving: Promise<void> | null = null;

/**
 * Leads a page whose session was ended elsewhere to sign-in, which says so and leads back; what the person saw is forgotten.
 * Does nothing where nobody was signed in, or somebody is: a request may have crossed a new cookie.
 */
export function leaveEndedSession(place: Place): Promise<void> {
  leaving ??= leave(place).finally(() => {
    leaving = null;
  });
  return leaving;
}

async function leave({ router, queryClient }: Place): Promise<void> {
  if ((queryClient.getQueryData(sessionKey) ?? null) === null) return;
  const isOver = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).then(
    (account) => account === null,
    // Nothing is known then: the next refusal asks anew.
    () => false,
  );
  if (!isOver) return;
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
