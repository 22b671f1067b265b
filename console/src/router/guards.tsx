import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { isOwnPath, nextOf } from "../accounts/sign-in/next.ts";
import { sessionQuery, SIGNED_IN } from "../accounts/session.ts";
import { PATHS } from "../paths.ts";
import { SignedIn } from "../shell/signed-in.tsx";

/** Route around every page. */
export const root = createRootRouteWithContext<{ readonly queryClient: QueryClient }>()({
  component: Outlet,
});

/** Route around the pages that need a session; without one, visitors are led to sign in, and back afterwards. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: SIGNED_IN,
  beforeLoad: async ({ context, location }) => {
    const account = await context.queryClient.ensureQueryData(sessionQuery);
    if (account !== null) return { account };
    throw redirect({ to: PATHS.signIn, search: nextOf(location), replace: true });
  },
  component: function SignedInRoute() {
    const { account } = signedIn.useRouteContext();
    return <SignedIn account={account} />;
  },
});

/** Route around the pages of administrators; all other accounts are led to the feed. */
export const administrators = createRoute({
  getParentRoute: () => signedIn,
  id: "administrators",
  beforeLoad: ({ context: { account } }) => {
    if (!account.isAdmin) throw redirect({ to: PATHS.feed, replace: true });
  },
});

interface SignInSearch {
  /** Page to continue with. */
  readonly next?: string;
  /** Set if the session here was ended elsewhere. */
  readonly ended?: true;
}

/** Route around the pages for signed-out visitors; signed-in accounts are led on. */
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
