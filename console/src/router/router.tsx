import type { QueryClient } from "@tanstack/react-query";
import {
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  type AnyRoute,
  type RouteComponent,
} from "@tanstack/react-router";
import { sessionQuery } from "../accounts/session.ts";
import { loadPageTexts } from "../language/language.ts";
import { parseFeedFilter } from "../notifications/feed/feed-filter.ts";
import { PATHS } from "../paths.ts";
import { NotFoundPage, ErrorPage } from "../shell/error-page.tsx";
import { LoadingPage } from "../shell/loading-page.tsx";
import { administrators, root, signedIn, signedOut } from "./guards.tsx";

/** Delay before the loading page appears. Until then, the previous page stays. */
const LOADING_PAGE_DELAY_MS = 300;

const feed = createRoute({
  getParentRoute: () => signedIn,
  id: "feed",
  validateSearch: parseFeedFilter,
  component: lazy(() => import("../notifications/feed/feed-page.tsx"), "FeedPage"),
});

const routes = root.addChildren([
  signedIn.addChildren([
    feed.addChildren([
      createRoute({
        getParentRoute: () => feed,
        path: PATHS.feed,
        component: lazy(() => import("../notifications/feed/nothing-opened.tsx"), "NothingOpened"),
      }),
      createRoute({
        getParentRoute: () => feed,
        path: PATHS.notification,
        component: lazy(
          () => import("../notifications/feed/notification-detail.tsx"),
          "NotificationDetail",
        ),
      }),
    ]),
    page(
      signedIn,
      PATHS.log,
      lazy(() => import("../notifications/log/log-page.tsx"), "LogPage"),
    ),
    page(
      signedIn,
      PATHS.record,
      lazy(() => import("../notifications/log/record-page.tsx"), "RecordPage"),
    ),
    page(
      signedIn,
      PATHS.activity,
      lazy(() => import("../notifications/activity/activity-page.tsx"), "ActivityPage"),
    ),
    page(
      signedIn,
      PATHS.devices,
      lazy(() => import("../devices/devices-page.tsx"), "DevicesPage"),
    ),
    page(
      signedIn,
      PATHS.send,
      lazy(() => import("../notifications/send/send-page.tsx"), "SendPage"),
    ),
    page(
      signedIn,
      PATHS.groups,
      lazy(() => import("../devices/groups/groups-page.tsx"), "GroupsPage"),
    ),
    page(
      signedIn,
      PATHS.teams,
      lazy(() => import("../teams/teams-page.tsx"), "TeamsPage"),
    ),
    page(
      signedIn,
      PATHS.team,
      lazy(() => import("../teams/team-page.tsx"), "TeamPage"),
    ),
    page(
      signedIn,
      PATHS.keys,
      lazy(() => import("../keys/keys-page.tsx"), "KeysPage"),
    ),
    page(
      signedIn,
      PATHS.builder,
      lazy(() => import("../keys/builder/builder-page.tsx"), "BuilderPage"),
    ),
    page(
      signedIn,
      PATHS.settings,
      lazy(() => import("../accounts/profile/you-page.tsx"), "YouPage"),
    ),
    page(
      signedIn,
      PATHS.security,
      lazy(() => import("../accounts/profile/security-page.tsx"), "SecurityPage"),
    ),
    page(
      signedIn,
      PATHS.access,
      lazy(() => import("../accounts/profile/access-page.tsx"), "AccessPage"),
    ),
    administrators.addChildren([
      page(
        administrators,
        PATHS.providers,
        lazy(() => import("../administration/providers-page.tsx"), "ProvidersPage"),
      ),
      page(
        administrators,
        PATHS.administration,
        lazy(() => import("../administration/health-page.tsx"), "HealthPage"),
      ),
      page(
        administrators,
        PATHS.accounts,
        lazy(() => import("../administration/accounts-page.tsx"), "AccountsPage"),
      ),
      page(
        administrators,
        PATHS.rules,
        lazy(() => import("../administration/rules-page.tsx"), "RulesPage"),
      ),
      page(
        administrators,
        PATHS.mail,
        lazy(() => import("../administration/mail-page.tsx"), "MailPage"),
      ),
      page(
        administrators,
        PATHS.audit,
        lazy(() => import("../administration/audit-page.tsx"), "AuditPage"),
      ),
    ]),
  ]),
  signedOut.addChildren([
    page(
      signedOut,
      PATHS.signIn,
      lazy(() => import("../accounts/sign-in/sign-in-page.tsx"), "SignInPage"),
    ),
    page(
      signedOut,
      PATHS.signUp,
      lazy(() => import("../accounts/sign-up-page.tsx"), "SignUpPage"),
    ),
    page(
      signedOut,
      PATHS.forgotten,
      lazy(() => import("../accounts/forgotten-page.tsx"), "ForgottenPage"),
    ),
    page(
      signedOut,
      PATHS.setUp,
      lazy(() => import("../accounts/set-up-page.tsx"), "SetUpPage"),
    ),
  ]),
  createRoute({
    getParentRoute: () => root,
    path: PATHS.invitation,
    beforeLoad: loadSession,
    loader: loadTexts,
    component: lazy(() => import("../teams/invitation-page.tsx"), "InvitationPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: PATHS.add,
    beforeLoad: loadSession,
    loader: loadTexts,
    component: lazy(() => import("../devices/pairing/pair-page.tsx"), "AddPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: PATHS.welcome,
    beforeLoad: loadSession,
    loader: loadTexts,
    component: lazy(() => import("../devices/pairing/pair-page.tsx"), "WelcomePage"),
  }),
  page(
    root,
    PATHS.signInReturn,
    lazy(() => import("../accounts/sign-in/oidc-page.tsx"), "OidcPage"),
  ),
  page(
    root,
    PATHS.verifyEmailChange,
    lazy(() => import("../accounts/verify-email-change-page.tsx"), "VerifyEmailChangePage"),
  ),
  page(
    root,
    PATHS.verify,
    lazy(() => import("../accounts/verify-page.tsx"), "VerifyPage"),
  ),
  page(
    root,
    PATHS.reset,
    lazy(() => import("../accounts/reset-page.tsx"), "ResetPage"),
  ),
  page(
    root,
    PATHS.resetPassword,
    lazy(() => import("../accounts/reset-page.tsx"), "ResetPage"),
  ),
  createRoute({ getParentRoute: () => root, path: "$", component: NotFoundPage }),
]);

async function loadSession({
  context: { queryClient },
}: {
  readonly context: { readonly queryClient: QueryClient };
}): Promise<void> {
  await queryClient.ensureQueryData(sessionQuery);
}

function page<const Parent extends AnyRoute, const Path extends string>(
  parent: Parent,
  path: Path,
  component: RouteComponent,
) {
  return createRoute({ getParentRoute: () => parent, path, component, loader: loadTexts });
}

/** Loads the texts of all pages together. Resolves immediately if they are already loaded. */
async function loadTexts(): Promise<void> {
  await loadPageTexts();
}

/** Returns the router of the console. It loads a page when the pointer is over a link to it, or when it opens. */
export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: routes,
    context: { queryClient },
    defaultPreload: "intent",
    defaultPendingMs: LOADING_PAGE_DELAY_MS,
    defaultPendingComponent: LoadingPage,
    defaultErrorComponent: ErrorPage,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: ReturnType<typeof createConsoleRouter>;
  }
}
