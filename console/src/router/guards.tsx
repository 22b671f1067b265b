import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { isSameOriginPath, toNextSearch } from "../accounts/sign-in/next-path.ts";
import { sessionQuery, SIGNED_IN_ROUTE_ID } from "../accounts/session.ts";
import { PATHS } from "../paths.ts";
import { SignedInLayout } from "../shell/signed-in-layout.tsx";

/** The root route, around every page. */
export const rootRoute = createRootRouteWithContext<{ readonly queryClient: QueryClient }>()({
  component: Outlet,
});

/**
 * The route around pages that need a session. Without one, it opens the sign-in page, which then returns to the page.
 */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: SIGNED_IN_ROUTE_ID,
  beforeLoad: async ({ context, location }) => {
    const account = await context.queryClient.ensureQueryData(sessionQuery);
    if (account !== null) return { account };
    throw redirect({ to: PATHS.signIn, search: toNextSearch(location), replace: true });
  },
  component: function SignedInRoute() {
    const { account } = signedInRoute.useRouteContext();
    return <SignedInLayout account={account} />;
  },
});

/** The route around pages for administrators. It redirects other accounts to the feed. */
export const administratorRoute = createRoute({
  getParentRoute: () => signedInRoute,
  id: "administrators",
  beforeLoad: ({ context: { account } }) => {
    if (!account.isAdmin) throw redirect({ to: PATHS.feed, replace: true });
  },
});

interface SignInSearch {
  /** Path of the page to open after the sign-in. */
  readonly next?: string;
  /** Present only if the session was ended elsewhere. */
  readonly ended?: true;
}

/** The route around pages for visitors who are not signed in. It redirects signed-in accounts. */
export const signedOutRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-out",
  validateSearch: ({ next, ended }): SignInSearch => ({
    ...(typeof next === "string" && isSameOriginPath(next) ? { next } : {}),
    ...(ended === true ? { ended } : {}),
  }),
  beforeLoad: async ({ context, search }) => {
    const account = await context.queryClient.ensureQueryData(sessionQuery);
    if (account !== null) throw redirect({ href: search.next ?? PATHS.feed, replace: true });
  },
});
