import { fileURLToPath } from "node:url";
import { registerAccountRoutes } from "#accounts/routes.ts";
import { registerAdministrationRoutes } from "#administration/routes.ts";
import { registerDeviceRoutes } from "#devices/routes.ts";
import { registerWebPushKeyRoute } from "#devices/web-push-key/routes.ts";
import { lastLeftAt } from "#devices/left/store/left.ts";
import { countDevices } from "#devices/store/devices.ts";
import { registerPages } from "#http/pages.ts";
import type { Server } from "#http/server.ts";
import { teamKeyInsert } from "#keys/issue.ts";
import { registerKeyRoutes } from "#keys/routes.ts";
import { revokeTeamKeysQuery } from "#keys/store/ending.ts";
import { mailInsert } from "#mail/store/outbox.ts";
import { registerByPersonRoutes } from "#notifications/by-person/routes.ts";
import { registerFeedMarkRoutes } from "#notifications/feed/marks/routes.ts";
import { registerActivityRoutes } from "#notifications/activity/routes.ts";
import { registerFeedRoutes } from "#notifications/feed/routes.ts";
import { registerLiveRoutes } from "#notifications/live/routes.ts";
import { registerOwnDeliveriesRoute } from "#notifications/log/own-deliveries/routes.ts";
import { registerLogRoutes } from "#notifications/log/routes.ts";
import { registerNotificationRoutes } from "#notifications/routes.ts";
import { createSendTest } from "#notifications/send-test-notification.ts";
import { checkWebPushAddress } from "#providers/webpush/check-address.ts";
import { countTeams, managedTeamIds, isManager, listStays } from "#teams/store/teams.ts";
import { handOverTeams, heldTeams } from "#teams/hand-over.ts";
import { findInvitation } from "#teams/received/find-invitation.ts";
import { registerTeamRoutes } from "#teams/routes.ts";
import { createAccountEnd, createTakeBack } from "./account-end.ts";
import { createAdministration } from "./create-administration.ts";
import { createOtherSections } from "./account-export.ts";
import { type AppOptions, type Rooms } from "./rooms.ts";

/** Registers the routes for people and programs. A worker has only the routes for its operators. */
export function registerPublic(server: Server, options: AppOptions, rooms: Rooms): void {
  registerRooms(server, options, rooms);
  registerPages(server, fileURLToPath(new URL("../../../console/dist", import.meta.url)));
}

function registerRooms(server: Server, options: AppOptions, rooms: Rooms): void {
  const { config } = options;
  const { context, authenticate, auth, delivery, hub, keys, mail } = rooms;
  const { baseUrl, syncWaitMs } = config;
  const person = { context, authenticate };
  const managed = (accountId: string) => managedTeamIds(context, accountId);
  const staysOf = (accountId: string) => listStays(context, accountId);
  const sending = { context, delivery, syncWaitMs };
  const { rateLimit } = rooms;
  registerNotificationRoutes(server, { ...sending, findPrincipal: keys.find, rateLimit });
  registerByPersonRoutes(server, { ...person, delivery, rateLimit });
  registerAccountRoutes(server, {
    ...person,
    auth,
    mail,
    baseUrl,
    ...createSupervisionDeps(config, rooms),
    secret: rooms.secret,
    sealFor: rooms.sealFor,
    end: createAccountEnd(context, keys),
    takeBack: createTakeBack(context, keys),
    identityProvider: rooms.identityProvider,
    otherSections: createOtherSections(context),
    findInvitation: (tokenHash) =>
      findInvitation({ context, onTeamChanged: (id) => keys.forgetTeam(id) }, tokenHash),
  });
  registerKeyRoutes(server, {
    ...person,
    verifier: keys,
    isManager: (input) => isManager(context, input),
    managedTeamIds: managed,
  });
  registerDeviceRoutes(server, {
    ...person,
    checkWebPushAddress: (address) => checkWebPushAddress({ policy: config.webPush }, address),
    sendTest: createSendTest(sending),
    onDeviceChanged: rooms.publisher.device,
    notices: config.mail === null ? null : { baseUrl, wakeMail: () => mail.wake() },
  });
  registerWebPushKeyRoute(server, rooms.vapidPublicKey);
  registerTeams(server, options, rooms);
  registerFeedRoutes(server, { ...person, staysOf });
  registerOwnDeliveriesRoute(server, { ...person, staysOf });
  registerFeedMarkRoutes(server, { ...person, staysOf, onChanged: rooms.publisher.read });
  registerLogRoutes(server, { ...person, managedTeamIds: managed });
  registerActivityRoutes(server, {
    ...person,
    managedTeamIds: managed,
    queueStats: delivery.stats,
  });
  registerLiveRoutes(server, { ...person, hub, rights: rooms.rights, staysOf });
  registerAdministrationRoutes(server, createAdministration(options, rooms));
}

function registerTeams(server: Server, { config }: AppOptions, rooms: Rooms): void {
  const { context, authenticate, keys, mail } = rooms;
  registerTeamRoutes(server, {
    context,
    authenticate,
    baseUrl: config.baseUrl,
    findPrincipal: keys.find,
    findTeamByKey: keys.findTeam,
    newTeamKey: (owner) => {
      const { key, query } = teamKeyInsert(context, { ...owner, label: null });
      return { key, insert: query };
    },
    teamKeyRevocation: (teamId) => revokeTeamKeysQuery(context, teamId),
    onTeamChanged: (teamId) => keys.forgetTeam(teamId),
    countDevices: (accountIds) => countDevices(context, accountIds),
    lastLeftAt: (accountIds) => lastLeftAt(context, accountIds),
    mailInsert: (message) => mailInsert(context, message),
    sendsMail: config.mail !== null,
    wakeMail: () => mail.wake(),
  });
}

/**
 * Returns the functions that the account routes need for administrators: their decisions, and facts from other rooms.
 */
function createSupervisionDeps(
  config: AppOptions["config"],
  { context, keys, rights, authenticateAdministrator, settings }: Rooms,
) {
  return {
    sendsMail: config.mail !== null,
    signUpPolicy: async () => (await settings()).signUp,
    authenticateAdministrator,
    onSuspensionChanged(accountId: string) {
      keys.forgetAccount(accountId);
      rights.review(accountId);
    },
    onSignedOut: (accountId: string) => rights.review(accountId),
    countDevices: (accountIds: readonly string[]) => countDevices(context, accountIds),
    countTeams: (accountIds: readonly string[]) => countTeams(context, accountIds),
    heldTeams: (accountId: string) => heldTeams(context, accountId),
    handOverTeams: (leaving: Parameters<typeof handOverTeams>[1]) =>
      handOverTeams(
        {
          context,
          teamKeyRevocation: (teamId) => revokeTeamKeysQuery(context, teamId),
          onTeamChanged: (teamId) => keys.forgetTeam(teamId),
        },
        leaving,
      ),
  };
}
