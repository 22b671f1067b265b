import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { registerAccountRoutes } from "#accounts/routes.ts";
import { createSetUpLink } from "#accounts/set-up.ts";
import { registerAdministrationRoutes } from "#administration/routes.ts";
import type { Context } from "#context.ts";
import type { Database } from "#database/database.ts";
import { openDatabase, openPatiently, type DatabasePlace } from "#database/open.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { migrate } from "#database/migration.ts";
import { refuseUnfinishedMove } from "#database/move/move.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { registerDeviceRoutes } from "#devices/routes.ts";
import { registerWebPushKeyRoute } from "#devices/web-push-key/routes.ts";
import { lastLeftAt } from "#devices/left/store.ts";
import { countDevices } from "#devices/store.ts";
import { announceClose, closeServer } from "#http/close.ts";
import { registerOpenApi } from "#http/openapi.ts";
import { registerOperations } from "#http/operations.ts";
import { registerPages } from "#http/pages.ts";
import { createServer, type Server } from "#http/server.ts";
import { createIds } from "#ids.ts";
import { teamKeyInsert } from "#keys/issue.ts";
import { registerKeyRoutes } from "#keys/routes.ts";
import { revokeTeamKeysQuery } from "#keys/ending/store.ts";
import { mailInsert } from "#mail/store.ts";
import { DatabaseClock } from "#nodes/database-clock.ts";
import { readClock } from "#nodes/store.ts";
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
import { countTeams, managedTeamIds, isManager, teamsOf } from "#teams/store.ts";
import { handOverTeams, heldTeams } from "#teams/held/hand-over.ts";
import { findInvitation } from "#teams/received/find-invitation.ts";
import { createRowSeal } from "#sealing/row-seal.ts";
import { registerTeamRoutes } from "#teams/routes.ts";
import { connectNodes } from "./connect-nodes.ts";
import { createAccountEnd, createTakeBack } from "./account-end.ts";
import { createAdministration } from "./create-administration.ts";
import { createOtherParts } from "./account-parts.ts";
import { prepareDataFolder } from "./data-folder.ts";
import { createNodes, createProvenTime } from "./create-nodes.ts";
import { createRooms, type AppOptions, type Rooms } from "./rooms.ts";
import { loadSecrets, type Secrets } from "./secrets.ts";

/** A composed server; nothing listens and nothing is sent until `start`. */
export interface App {
  readonly server: Server;
  readonly context: Context;
  /** Takes over unfinished work and listens; returns the address it listens on. */
  start(): Promise<string>;
  /** Makes a one-use link for the first account; null where there is one. */
  createSetUpLink(): Promise<string | null>;
  /** Says that this process will stop, so that load balancers turn away; it goes on serving. */
  drain(): void;
  /** Finishes what is under way and gives the rest back. Nothing runs afterwards. */
  stop(): Promise<void>;
}

/** Builds every part once, by hand. */
export async function createApp(given: AppOptions): Promise<App> {
  const { config, log } = given;
  const unlock = await takeFolder(given);
  const { context, clock, secrets } = await openContext(given);
  const options = { ...given, now: context.now };
  const nodes = createNodes(options, { context, clock });
  const proven = await createProvenTime(given, context);
  const rooms = await createRooms(options, { context, nodes, proven, secrets });
  connectNodes(rooms);
  const server = createServer({
    log,
    newId: context.newId,
    trustProxy: config.trustProxy,
    isUnavailable: (error) => context.database.engine.isUnavailable(error),
    isInDoubt: (error) => context.database.engine.isInDoubt(error),
  });
  let isReady = false;
  let stopped: Promise<void> | null = null;
  rooms.metrics.observeHttp(server);
  if (config.role !== "worker") await registerOpenApi(server, config.baseUrl);
  registerOperations(server, {
    metrics: rooms.metrics.registry,
    metricsToken: config.metricsToken,
    isReady: async () => isReady && (await context.database.isWritable()),
  });
  if (config.role !== "worker") registerPublic(server, options, rooms);
  return {
    server,
    context,
    createSetUpLink: async () =>
      config.role === "worker" ? null : createSetUpLink(context, config.baseUrl),
    async start() {
      await nodes.start();
      proven.start();
      await rooms.delivery.worker.start();
      if (config.role !== "api") {
        rooms.mail.start();
        rooms.retention.start();
        rooms.leftDevices.start();
      }
      const { host, port } = config;
      // The start is announced once, by main.ts.
      const address = await server.listen({ host, port, listenTextResolver: () => "listening" });
      isReady = true;
      return address;
    },
    drain() {
      isReady = false;
      announceClose(server);
    },
    stop() {
      isReady = false;
      stopped ??= stop(server, rooms).finally(unlock);
      return stopped;
    },
  };
}

/** Returns what lets the data folder go. PostgreSQL is for many; a SQLite file belongs to one process. */
async function takeFolder({ config: { dataDir, database }, log }: AppOptions): Promise<() => void> {
  const opened = await prepareDataFolder(dataDir);
  if (opened.length > 0) log.warn({ paths: opened }, "what others could read was closed to them");
  return database.kind === "sqlite" ? lockInstance(join(dataDir, "server.lock")) : () => {};
}

/** The door is closed first, so that nothing new comes in while the rest ends. */
async function stop(server: Server, rooms: Rooms): Promise<void> {
  await closeServer(server);
  await rooms.leftDevices.stop();
  await rooms.delivery.worker.stop();
  await Promise.all([
    rooms.retention.stop(),
    rooms.mail.stop(),
    rooms.keys.stop(),
    rooms.rateLimit.stop(),
  ]);
  await rooms.proven.stop();
  await rooms.close();
  await rooms.nodes.stop();
  await rooms.context.database.close();
}

interface Opened {
  readonly context: Context;
  /** Null where this machine's clock is the only one. */
  readonly clock: DatabaseClock | null;
  readonly secrets: Secrets;
}

async function openContext(options: AppOptions): Promise<Opened> {
  const database = openDatabase(options.config.database, options.log);
  try {
    return await prepareContext(options, database);
  } catch (error) {
    // What cannot start holds nothing open.
    await database.close();
    throw error;
  }
}

async function prepareContext(
  { config, log, now, time }: AppOptions,
  database: Database,
): Promise<Opened> {
  const steps = await bringUpToDate(config.database, { database, log });
  if (steps.length > 0) log.info({ steps }, "the database was brought up to date");
  await refuseUnfinishedMove(database);
  const clock = config.database.kind === "sqlite" ? null : new DatabaseClock();
  await clock?.read(() => readClock(database));
  const rules = time ?? clock?.now ?? now;
  await prepareDays(database, { now: rules() });
  const secrets = await loadSecrets(config, database);
  const seal = createRowSeal({ secret: secrets.session, isSealing: secrets.isSealed });
  const context = { database, now: rules, newId: createIds(rules), log, seal };
  return { context, clock, secrets };
}

/** Requests are given up after seconds, which is no time for a large table. */
async function bringUpToDate(
  place: DatabasePlace,
  { database, log }: Pick<Context, "database" | "log">,
): Promise<readonly string[]> {
  if (place.kind === "sqlite") return migrate(database);
  const patient = openPatiently(place, log);
  try {
    return await migrate(patient);
  } finally {
    await patient.close();
  }
}

/** What people and programs call: a worker has none of it, only what its operators watch. */
function registerPublic(server: Server, options: AppOptions, rooms: Rooms): void {
  registerRooms(server, options, rooms);
  registerPages(server, fileURLToPath(new URL("../../console/dist", import.meta.url)));
}

function registerRooms(server: Server, options: AppOptions, rooms: Rooms): void {
  const { config } = options;
  const { context, authenticate, auth, delivery, hub, keys, mail } = rooms;
  const { baseUrl, syncWaitMs } = config;
  const person = { context, authenticate };
  const managed = (accountId: string) => managedTeamIds(context, accountId);
  const staysOf = (accountId: string) => teamsOf(context, accountId);
  const sending = { context, delivery, syncWaitMs };
  const { rateLimit } = rooms;
  registerNotificationRoutes(server, { ...sending, findPrincipal: keys.find, rateLimit });
  registerByPersonRoutes(server, { ...person, delivery, rateLimit });
  registerAccountRoutes(server, {
    ...person,
    auth,
    mail,
    baseUrl,
    ...supervisionOf(config, rooms),
    secret: rooms.secret,
    end: createAccountEnd(context, keys),
    takeBack: createTakeBack(context, keys),
    identityProvider: rooms.identityProvider,
    otherParts: createOtherParts(context),
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
    onDeviceChanged: rooms.tell.device,
    notices: config.mail === null ? null : { baseUrl, wakeMail: () => mail.wake() },
  });
  registerWebPushKeyRoute(server, rooms.vapidPublicKey);
  registerTeams(server, options, rooms);
  registerFeedRoutes(server, { ...person, staysOf });
  registerOwnDeliveriesRoute(server, { ...person, staysOf });
  registerFeedMarkRoutes(server, { ...person, staysOf, onChanged: rooms.tell.read });
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

/** What administrators say about accounts, and what their look at them needs of other rooms. */
function supervisionOf(
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
