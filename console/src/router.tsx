import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { sessionQuery } from "./accounts/session.ts";
import { PATHS } from "./paths.ts";
import { SignedIn } from "./shell/signed-in.tsx";
import { NotFound, Trouble } from "./shell/trouble.tsx";
import { Waiting } from "./shell/waiting.tsx";

/** Shorter waits show the page before instead. */
const WAITING_SHOWN_AFTER_MS = 300;

const root = createRootRouteWithContext<{ readonly queryClient: QueryClient }>()({
  component: Outlet,
});

/** Around the pages of who is signed in; anybody else is led to sign in, and back afterwards. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ context, location }) => {
    const account = await context.queryClient.ensureQueryData(sessionQuery);
    if (account !== null) return { account };
    const next = location.pathname === PATHS.feed ? {} : { next: location.pathname };
    throw redirect({ to: PATHS.signIn, search: next, replace: true });
  },
  component: function SignedInRoute() {
    const { account } = signedIn.useRouteContext();
    return <SignedIn account={account} />;
  },
});

/** Around the pages of who is not signed in; anybody else is led on. */
const signedOut = createRoute({
  getParentRoute: () => root,
  id: "signed-out",
  validateSearch: (search): { readonly next?: string } => {
    const { next } = search;
    // A path of ours: not another host, which `//host` would be.
    return typeof next === "string" && /^\/(?!\/)/.test(next) ? { next } : {};
  },
  beforeLoad: async ({ context, search }) => {
    const account = await context.queryClient.ensureQueryData(sessionQuery);
    if (account !== null) throw redirect({ href: search.next ?? PATHS.feed, replace: true });
  },
});

const feed = createRoute({
  getParentRoute: () => signedIn,
  id: "feed",
  component: lazyRouteComponent(() => import("./notifications/feed-page.tsx"), "FeedPage"),
});

const routes = root.addChildren([
  signedIn.addChildren([
    feed.addChildren([
      createRoute({
        getParentRoute: () => feed,
        path: PATHS.feed,
        component: lazyRouteComponent(
          () => import("./notifications/feed-page.tsx"),
          "NothingOpened",
        ),
      }),
      createRoute({
        getParentRoute: () => feed,
        path: PATHS.notification,
        component: lazyRouteComponent(
          () => import("./notifications/notification-detail.tsx"),
          "NotificationDetail",
        ),
      }),
    ]),
    createRoute({
      getParentRoute: () => signedIn,
      path: PATHS.log,
      component: lazyRouteComponent(() => import("./notifications/log/log-page.tsx"), "LogPage"),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: PATHS.record,
      component: lazyRouteComponent(
        () => import("./notifications/log/record-page.tsx"),
        "RecordPage",
      ),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: PATHS.devices,
      component: lazyRouteComponent(() => import("./devices/devices-page.tsx"), "DevicesPage"),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: PATHS.keys,
      component: lazyRouteComponent(() => import("./keys/keys-page.tsx"), "KeysPage"),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: PATHS.settings,
      component: lazyRouteComponent(() => import("./shell/settings-page.tsx"), "SettingsPage"),
    }),
  ]),
  signedOut.addChildren([
    createRoute({
      getParentRoute: () => signedOut,
      path: PATHS.signIn,
      component: lazyRouteComponent(() => import("./accounts/sign-in-page.tsx"), "SignInPage"),
    }),
    createRoute({
      getParentRoute: () => signedOut,
      path: PATHS.signUp,
      component: lazyRouteComponent(() => import("./accounts/sign-up-page.tsx"), "SignUpPage"),
    }),
    createRoute({
      getParentRoute: () => signedOut,
      path: PATHS.forgotten,
      component: lazyRouteComponent(() => import("./accounts/forgotten-page.tsx"), "ForgottenPage"),
    }),
    createRoute({
      getParentRoute: () => signedOut,
      path: PATHS.setUp,
      component: lazyRouteComponent(() => import("./accounts/set-up-page.tsx"), "SetUpPage"),
    }),
  ]),
  createRoute({
    getParentRoute: () => root,
    path: PATHS.invitation,
    beforeLoad: async ({ context }) => {
      await context.queryClient.ensureQueryData(sessionQuery);
    },
    component: lazyRouteComponent(() => import("./teams/invitation-page.tsx"), "InvitationPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: PATHS.verify,
    component: lazyRouteComponent(() => import("./accounts/verify-page.tsx"), "VerifyPage"),
  }),
  ...[PATHS.reset, PATHS.resetPassword].map((path) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: lazyRouteComponent(() => import("./accounts/reset-page.tsx"), "ResetPage"),
    }),
  ),
  createRoute({ getParentRoute: () => root, path: "$", component: NotFound }),
]);

/** Returns the console's pages by their paths; each is loaded when somebody is about to open it. */
export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: routes,
    context: { queryClient },
    defaultPreload: "intent",
    defaultPendingMs: WAITING_SHOWN_AFTER_MS,
    defaultPendingComponent: Waiting,
    defaultErrorComponent: Trouble,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: ReturnType<typeof createConsoleRouter>;
  }
}
