import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { isOwnPath, toNextSearch } from "../accounts/sign-in/next.ts";
import { sessionQuery, SIGNED_IN } from "../accounts/session.ts";
import { PATHS } from "../paths.ts";
import { SignedIn } from "../shell/signed-in.tsx";

/** The root route, around every page. */
export const root = createRootRouteWithContext<{ readonly queryClient: QueryClient }>()({
  component: Outlet,
});

/** The route around pages that need a session. Without one, it opens the sign-in page, which returns here. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: SIGNED_IN,
  beforeLoad: async ({ context, location }) => {
    const account = await context.queryClient.ensureQueryData(sessionQuery);
    if (account !== null) return { account };
    throw redirect({ to: PATHS.signIn, search: toNextSearch(location), replace: true });
  },
  component: function SignedInRoute() {
    const { account } = signedIn.useRouteContext();
    return <SignedIn account={account} />;
  },
});

/** The route around pages for administrators. It redirects other accounts to the feed. */
export const administrators = createRoute({
  getParentRoute: () => signedIn,
  id: "administrators",
  beforeLoad: ({ context: { account } }) => {
    if (!account.isAdmin) throw redirect({ to: PATHS.feed, replace: true });
  },
});

interface SignInSearch {
  /** Path of the page to open after the sign-in. */
  readonly next?: string;
  /** Set if the session was ended elsewhere. */
  readonly ended?: true;
}

/** The route around pages for visitors who are not signed in. It redirects signed-in accounts. */
export const signedOut = createRoute({
  getParentRoute: () => root,
  id: "signed-out",
  validateSearch: ({ next, ended }): SignInSearch => ({
    ...(typeof next === "string" && isOwnPath(next) ? { next } : {}),
    ...(ended === true ? { ended } : {}),
  }),
  beforeLoad: async ({ context, search }) => {
    const account = await context.queryClient.ensureQueryData(sessionQuery);
    if (account !== null) throw redirect({ href: search.next ?? PATHS.feed, replace: true });
  },
});
