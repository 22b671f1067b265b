import { fileURLToPath } from "node:url";
import { countFailures, createAttemptLimit, toNetwork } from "#accounts/attempt-limit.ts";
import { registerAccountRoutes } from "#accounts/routes.ts";
import { registerAppRoutes } from "#apps/routes.ts";
import type { Context } from "#context.ts";
import type { Config } from "#config/config.ts";
import { registerAdministrationRoutes } from "#administration/routes.ts";
import { registerDialects } from "#dialects/register.ts";
import { registerDeviceRoutes } from "#devices/routes.ts";
import { registerWebPushKeyRoute } from "#devices/web-push-key/routes.ts";
import { findLastLeftAt } from "#devices/left-devices/store/left-devices.ts";
import { countDevices } from "#devices/store/devices.ts";
import { registerPolicyRoutes } from "#incidents/policies/routes.ts";
import { registerPolicyTestRoute } from "#incidents/policies/testing/routes.ts";
import { HeldRequests } from "#http/held-requests.ts";
import { registerConsolePages } from "#http/console-pages.ts";
import type { Server } from "#http/server.ts";
import { draftTeamKey } from "#keys/issue.ts";
import { registerActLinkRoutes } from "#incidents/links/routes.ts";
import { registerReceiptRoutes } from "#incidents/receipts/routes.ts";
import { registerIncidentRoutes } from "#incidents/routes.ts";
import { findPolicySnapshot } from "#incidents/policies/snapshot.ts";
import { takeIncidentOrder, type PolicyQuery } from "#incidents/take-order.ts";
import { registerKeyRoutes } from "#keys/routes.ts";
import { registerPromptReceiptRoutes } from "#prompts/receipts/routes.ts";
import { registerPromptRoutes } from "#prompts/routes.ts";
import { takePromptOrder } from "#prompts/take-order.ts";
import { insertMailQuery } from "#mail/store/outbox.ts";
import { registerActRoute } from "#notifications/acts/routes.ts";
import type { SendOrder } from "#notifications/order.ts";
import { registerPersonalSendRoute } from "#notifications/personal-send/routes.ts";
import { registerFeedMarkRoutes } from "#notifications/feed/marks/routes.ts";
import { registerActivityRoutes } from "#notifications/activity/routes.ts";
import { registerFeedRoutes } from "#notifications/feed/routes.ts";
import { registerLiveRoutes } from "#notifications/live/routes.ts";
import { registerOwnDeliveriesRoute } from "#notifications/log/own-deliveries/routes.ts";
import { registerLogRoutes } from "#notifications/log/routes.ts";
import { registerNotificationRoutes } from "#notifications/routes.ts";
import { createTestSender } from "#notifications/send-test-notification.ts";
import { checkWebPushAddress } from "#providers/webpush/check-address.ts";
import {
  countTeams,
  listManagedTeamIds,
  isManager,
  listMembershipPeriods,
} from "#teams/store/teams.ts";
import { handOverTeams, findTeamsToHandOver } from "#teams/hand-over.ts";
import { findTeamInvitation } from "#teams/received-invitations/find-invitation.ts";
import { registerTeamRoutes } from "#teams/routes.ts";
import {
  createAccountDeletion,
  createAccountReclaim,
  createTeamEndQueries,
} from "./account-end.ts";
import { createActRouteDeps } from "./act-route.ts";
import { createAdministration } from "./create-administration.ts";
import { reviewAccount } from "./create-apps.ts";
import { createDialectApps } from "./dialect-apps.ts";
import { createOtherSections } from "./account-export.ts";
import { type AppOptions, type Rooms } from "./rooms.ts";

/** Registers the routes for people and programs. A worker has only the routes for its operators. */
export function registerPublicRoutes(server: Server, options: AppOptions, rooms: Rooms): void {
  registerRoomRoutes(server, options, rooms);
  registerConsolePages(server, fileURLToPath(new URL("../../../console/dist", import.meta.url)));
}

function registerRoomRoutes(server: Server, options: AppOptions, rooms: Rooms): void {
  const { config } = options;
  const { context, authenticate, auth, keys, mail } = rooms;
  const { baseUrl } = config;
  const personDeps = { context, authenticate };
  const onAccountEnded = (accountId: string) => {
    keys.evictAccount(accountId);
    reviewAccount(rooms.apps, accountId);
  };
  registerSendRoutes(server, config, rooms);
  registerAccountRoutes(server, {
    ...personDeps,
    auth,
    mail,
    baseUrl,
    ...createAccountAdministrationDeps(config, rooms),
    secret: rooms.secret,
    sealFor: rooms.sealFor,
    wrongCodeLimit: rooms.wrongCodeLimit,
    deletionSteps: createAccountDeletion(context, { keys, onAccountEnded }),
    reclaim: createAccountReclaim(context, { onAccountEnded }),
    identityProvider: rooms.identityProvider,
    otherSections: createOtherSections(context),
    findTeamInvitation: (tokenHash) =>
      findTeamInvitation({ context, onTeamChanged: (id) => keys.evictTeam(id) }, tokenHash),
  });
  registerKeyRoutes(server, {
    ...personDeps,
    verifier: keys,
    dialects: config.dialects,
    ntfyUpstream: config.ntfyUpstream === null ? null : new URL(config.ntfyUpstream.url).host,
    isManager: (input) => isManager(context, input),
    listManagedTeamIds: (accountId) => listManagedTeamIds(context, accountId),
  });
  registerDeviceRoutes(server, {
    ...personDeps,
    checkWebPushAddress: (address) => checkWebPushAddress({ policy: config.webPush }, address),
    sendTestNotification: createTestSender({
      context,
      delivery: rooms.delivery,
      syncWaitMs: config.syncWaitMs,
    }),
    onDeviceChanged: rooms.publisher.publishDevice,
    notices: config.mail === null ? null : { baseUrl, wakeMailSender: () => mail.wake() },
  });
  registerAppRoutes(server, {
    ...personDeps,
    signIn: rooms.appSignIn,
    dialects: config.dialects,
    baseUrl,
  });
  registerWebPushKeyRoute(server, rooms.vapidPublicKey);
  registerTeamRoomRoutes(server, options, rooms);
  registerFeedAndLogRoutes(server, rooms);
  registerActRoute(server, createActRouteDeps(rooms));
  registerPolicyRoomRoutes(server, config, rooms);
  registerAdministrationRoutes(server, createAdministration(options, rooms));
}

/** Returns the escalation policy that a send names, or else the policy of its key. A person has no default policy. */
async function findPolicyOfSender(context: Context, { keyId, ...query }: PolicyQuery) {
  if (keyId === null && query.idOrName === null) return null;
  return findPolicySnapshot(context, { ...query, keyId: keyId ?? "" });
}

/** Limits wrong keys in the APIs of other services, by network. */
const WRONG_KEY_RATE = { name: "wrong key of a sender", burst: 30, perHour: 600 };

/** Limits invalid tokens of links in alarm emails, by network. */
const LINK_FAILURE_RATE = { name: "unknown act link", burst: 10, perHour: 600 };

function createFailureLimit(context: Context) {
  const limit = createAttemptLimit(context, LINK_FAILURE_RATE);
  return <T>(ip: string, attempt: () => Promise<T>) =>
    countFailures({ limit, key: toNetwork(ip) }, attempt);
}

/** Registers the routes that send, and the routes of the incidents and prompts that a send opens. */
function registerSendRoutes(
  server: Server,
  { baseUrl, syncWaitMs, dialects, callbackAllowOrigins: allowOrigins }: Config,
  rooms: Rooms,
): void {
  const { context, authenticate, delivery, incidents, prompts, keys, rateLimit } = rooms;
  const { findPrincipal } = keys;
  const findPolicy = (query: PolicyQuery) => findPolicyOfSender(context, query);
  const orderDeps = { context, delivery, incidents, findPolicy, allowOrigins };
  const takeOrder = (order: SendOrder) => {
    const { prompt } = order.interaction;
    return prompt === null
      ? takeIncidentOrder(orderDeps, order)
      : takePromptOrder(orderDeps, order, prompt);
  };
  const keyDeps = { context, findPrincipal, rateLimit };
  registerNotificationRoutes(server, { ...keyDeps, delivery, syncWaitMs, takeOrder });
  const wrongKeyLimit = createAttemptLimit(context, WRONG_KEY_RATE);
  registerDialects(server, {
    dialects,
    context,
    rateLimit,
    delivery,
    syncWaitMs,
    takeOrder,
    findSender: keys.findSender,
    countWrongKey: (ip) => wrongKeyLimit.take(toNetwork(ip)),
    ...createDialectApps(rooms),
    baseUrl,
  });
  const heldRequests = new HeldRequests(server);
  registerReceiptRoutes(server, { ...keyDeps, incidents, heldRequests });
  registerPromptReceiptRoutes(server, { ...keyDeps, prompts, heldRequests });
  const personDeps = { context, authenticate };
  registerIncidentRoutes(server, { ...personDeps, incidents, rateLimit });
  registerPromptRoutes(server, { ...personDeps, incidents, rateLimit });
  registerActLinkRoutes(server, {
    context,
    incidents,
    signature: rooms.actLinkSignature,
    limitFailures: createFailureLimit(context),
  });
  const sendDeps = { delivery, rateLimiter: rateLimit, takeOrder };
  registerPersonalSendRoute(server, { ...personDeps, ...sendDeps });
}

function registerPolicyRoomRoutes(server: Server, config: Config, rooms: Rooms): void {
  const { context, authenticate, delivery, rateLimit } = rooms;
  const deps = { context, authenticate, sendsMail: config.mail !== null };
  registerPolicyRoutes(server, deps);
  registerPolicyTestRoute(server, { ...deps, delivery, rateLimit });
}

function registerFeedAndLogRoutes(
  server: Server,
  { context, authenticate, delivery, hub, publisher, credentialChecks }: Rooms,
): void {
  const feedDeps = {
    context,
    authenticate,
    listMembershipPeriods: (accountId: string) => listMembershipPeriods(context, accountId),
  };
  const logDeps = {
    context,
    authenticate,
    listManagedTeamIds: (accountId: string) => listManagedTeamIds(context, accountId),
  };
  registerFeedRoutes(server, feedDeps);
  registerOwnDeliveriesRoute(server, feedDeps);
  registerFeedMarkRoutes(server, { ...feedDeps, onChanged: publisher.publishFeedChange });
  registerLogRoutes(server, logDeps);
  registerActivityRoutes(server, { ...logDeps, queueStats: delivery.getQueueStats });
  registerLiveRoutes(server, { ...feedDeps, hub, credentialChecks });
}

function registerTeamRoomRoutes(server: Server, { config }: AppOptions, rooms: Rooms): void {
  const { context, authenticate, keys, mail } = rooms;
  registerTeamRoutes(server, {
    context,
    authenticate,
    baseUrl: config.baseUrl,
    findPrincipal: keys.findPrincipal,
    findTeamByKey: keys.findTeamId,
    draftTeamKey: (owner) => {
      const { key, query } = draftTeamKey(context, { ...owner, label: null });
      return { key, insertStatement: query };
    },
    createTeamEndQueries: (teamId) => createTeamEndQueries(context, teamId),
    onTeamChanged: (teamId) => keys.evictTeam(teamId),
    countDevices: (accountIds) => countDevices(context, accountIds),
    findLastLeftAt: (accountIds) => findLastLeftAt(context, accountIds),
    insertMailQuery: (message) => insertMailQuery(context, message),
    sendsMail: config.mail !== null,
    wakeMailSender: () => mail.wake(),
  });
}

/**
 * Returns the functions that the account routes need for administrators, such as counts that other rooms provide.
 */
function createAccountAdministrationDeps(
  config: AppOptions["config"],
  { context, apps, keys, credentialChecks, authenticateAdministrator, getSettings }: Rooms,
) {
  return {
    sendsMail: config.mail !== null,
    signUpPolicy: async () => (await getSettings()).signUp,
    authenticateAdministrator,
    onSuspensionChanged(accountId: string) {
      keys.evictAccount(accountId);
      credentialChecks.review(accountId);
      reviewAccount(apps, accountId);
    },
    onSignedOut: (accountId: string) => credentialChecks.review(accountId),
    countDevices: (accountIds: readonly string[]) => countDevices(context, accountIds),
    countTeams: (accountIds: readonly string[]) => countTeams(context, accountIds),
    findTeamsToHandOver: (accountId: string) => findTeamsToHandOver(context, accountId),
    handOverTeams: (leaving: Parameters<typeof handOverTeams>[1]) =>
      handOverTeams(
        {
          context,
          createTeamEndQueries: (teamId) => createTeamEndQueries(context, teamId),
          onTeamChanged: (teamId) => keys.evictTeam(teamId),
        },
        leaving,
      ),
  };
}
