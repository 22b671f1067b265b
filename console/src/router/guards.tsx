import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { isOwnPath, nextOf } from "../accounts/sign-in/next.ts";
import { sessionQuery, SIGNED_IN } from "../accounts/session.ts";
import { PATHS } from "../paths.ts";
import { SignedIn } from "../shell/signed-in.tsx";

/** Around every page. */
export const root = createRootRouteWithContext<{ readonly queryClient: QueryClient }>()({
  component: Outlet,
});

/** Around the pages of who is signed in; anybody else is led to sign in, and back afterwards. */
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

/** Around the pages of administrators; nobody else finds them. */
export const administrators = createRoute({
  getParentRoute: () => signedIn,
  id: "administrators",
  beforeLoad: ({ context: { account } }) => {
    if (!account.isAdmin) throw redirect({ to: PATHS.feed, replace: true });
  },
});

interface SignInSearch {
  /** Where to go on. */
  readonly next?: string;
  /** The session that was open here ended elsewhere. */
  readonly ended?: true;
}

/** Around the pages of who is not signed in; anybody else is led on. */
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
