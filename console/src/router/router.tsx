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
import { ErrorPage } from "../shell/error-page.tsx";
import { NotFoundPage } from "../shell/not-found-page.tsx";
import { LoadingPage } from "../shell/loading-page.tsx";
import { administratorRoute, rootRoute, signedInRoute, signedOutRoute } from "./guards.tsx";

/** Delay before the loading page appears. Until then, the previous page stays. */
const LOADING_PAGE_DELAY_MS = 300;

const feedRoute = createRoute({
  getParentRoute: () => signedInRoute,
  id: "feed",
  validateSearch: parseFeedFilter,
  component: lazy(() => import("../notifications/feed/feed-page.tsx"), "FeedPage"),
});

const routeTree = rootRoute.addChildren([
  signedInRoute.addChildren([
    feedRoute.addChildren([
      createRoute({
        getParentRoute: () => feedRoute,
        path: PATHS.feed,
        component: lazy(() => import("../notifications/feed/empty-detail.tsx"), "EmptyDetail"),
      }),
      createRoute({
        getParentRoute: () => feedRoute,
        path: PATHS.notification,
        component: lazy(
          () => import("../notifications/feed/notification-detail.tsx"),
          "NotificationDetail",
        ),
      }),
    ]),
    createPageRoute(
      signedInRoute,
      PATHS.log,
      lazy(() => import("../notifications/log/log-page.tsx"), "LogPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.record,
      lazy(() => import("../notifications/log/record-page.tsx"), "RecordPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.activity,
      lazy(() => import("../notifications/activity/activity-page.tsx"), "ActivityPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.devices,
      lazy(() => import("../devices/devices-page.tsx"), "DevicesPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.send,
      lazy(() => import("../notifications/send/send-page.tsx"), "SendPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.groups,
      lazy(() => import("../devices/groups/groups-page.tsx"), "GroupsPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.teams,
      lazy(() => import("../teams/teams-page.tsx"), "TeamsPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.team,
      lazy(() => import("../teams/team-page.tsx"), "TeamPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.incidents,
      lazy(() => import("../incidents/incidents-page.tsx"), "IncidentsPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.policies,
      lazy(() => import("../incidents/policies/policies-page.tsx"), "PoliciesPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.keys,
      lazy(() => import("../keys/keys-page.tsx"), "KeysPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.builder,
      lazy(() => import("../keys/builder/builder-page.tsx"), "BuilderPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.settings,
      lazy(() => import("../accounts/profile/profile-page.tsx"), "ProfilePage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.security,
      lazy(() => import("../accounts/profile/security-page.tsx"), "SecurityPage"),
    ),
    createPageRoute(
      signedInRoute,
      PATHS.access,
      lazy(() => import("../accounts/profile/access-page.tsx"), "AccessPage"),
    ),
    administratorRoute.addChildren([
      createPageRoute(
        administratorRoute,
        PATHS.providers,
        lazy(() => import("../administration/providers-page.tsx"), "ProvidersPage"),
      ),
      createPageRoute(
        administratorRoute,
        PATHS.administration,
        lazy(() => import("../administration/health-page.tsx"), "HealthPage"),
      ),
      createPageRoute(
        administratorRoute,
        PATHS.accounts,
        lazy(() => import("../administration/accounts-page.tsx"), "AccountsPage"),
      ),
      createPageRoute(
        administratorRoute,
        PATHS.rules,
        lazy(() => import("../administration/rules-page.tsx"), "RulesPage"),
      ),
      createPageRoute(
        administratorRoute,
        PATHS.mail,
        lazy(() => import("../administration/mail-page.tsx"), "MailPage"),
      ),
      createPageRoute(
        administratorRoute,
        PATHS.audit,
        lazy(() => import("../administration/audit-page.tsx"), "AuditPage"),
      ),
    ]),
  ]),
  signedOutRoute.addChildren([
    createPageRoute(
      signedOutRoute,
      PATHS.signIn,
      lazy(() => import("../accounts/sign-in/sign-in-page.tsx"), "SignInPage"),
    ),
    createPageRoute(
      signedOutRoute,
      PATHS.signUp,
      lazy(() => import("../accounts/sign-up-page.tsx"), "SignUpPage"),
    ),
    createPageRoute(
      signedOutRoute,
      PATHS.forgottenPassword,
      lazy(() => import("../accounts/forgotten-password-page.tsx"), "ForgottenPasswordPage"),
    ),
    createPageRoute(
      signedOutRoute,
      PATHS.setUp,
      lazy(() => import("../accounts/set-up-page.tsx"), "SetUpPage"),
    ),
  ]),
  createRoute({
    getParentRoute: () => rootRoute,
    path: PATHS.invitation,
    beforeLoad: loadSession,
    loader: loadTexts,
    component: lazy(() => import("../teams/invitation-page.tsx"), "InvitationPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: PATHS.pairing,
    beforeLoad: loadSession,
    loader: loadTexts,
    component: lazy(() => import("../devices/pairing/pairing-page.tsx"), "PairingPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: PATHS.welcome,
    beforeLoad: loadSession,
    loader: loadTexts,
    component: lazy(() => import("../devices/pairing/welcome-page.tsx"), "WelcomePage"),
  }),
  createPageRoute(
    rootRoute,
    PATHS.actLink,
    lazy(() => import("../incidents/act-link-page.tsx"), "ActLinkPage"),
  ),
  createPageRoute(
    rootRoute,
    PATHS.signInReturn,
    lazy(() => import("../accounts/sign-in/oidc-page.tsx"), "OidcPage"),
  ),
  createPageRoute(
    rootRoute,
    PATHS.verifyEmailChange,
    lazy(() => import("../accounts/verify-email-change-page.tsx"), "VerifyEmailChangePage"),
  ),
  createPageRoute(
    rootRoute,
    PATHS.verifyEmail,
    lazy(() => import("../accounts/verify-email-page.tsx"), "VerifyEmailPage"),
  ),
  createPageRoute(
    rootRoute,
    PATHS.reset,
    lazy(() => import("../accounts/reset-password-page.tsx"), "ResetPasswordPage"),
  ),
  createPageRoute(
    rootRoute,
    PATHS.resetPassword,
    lazy(() => import("../accounts/reset-password-page.tsx"), "ResetPasswordPage"),
  ),
  createRoute({ getParentRoute: () => rootRoute, path: "$", component: NotFoundPage }),
]);

async function loadSession({
  context: { queryClient },
}: {
  readonly context: { readonly queryClient: QueryClient };
}): Promise<void> {
  await queryClient.ensureQueryData(sessionQuery);
}

/** Returns the route of a page. It loads the texts of all pages first. */
function createPageRoute<const Parent extends AnyRoute, const Path extends string>(
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
    routeTree,
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
