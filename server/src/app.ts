import { join } from "node:path";
import { createSetUpLink } from "#accounts/set-up.ts";
import type { Context } from "#context.ts";
import type { Database } from "#database/database.ts";
import { openDatabase, openPatiently, type DatabasePlace } from "#database/open.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { migrate } from "#database/migration.ts";
import { refuseUnfinishedMove } from "#database/move/move.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { announceClose, closeServer } from "#http/close.ts";
import { registerOpenApi } from "#http/openapi.ts";
import { registerOperations } from "#http/operations.ts";
import { createServer, type Server } from "#http/server.ts";
import { createIds } from "#ids.ts";
import { DatabaseClock } from "#nodes/database-clock.ts";
import { readClock } from "#nodes/store.ts";
import { createRowSeal } from "#secrets/row-seal.ts";
import { connectNodes } from "#composition/connect-nodes.ts";
import { prepareDataFolder } from "#process/data-folder.ts";
import { createNodes, createProvenTime } from "#composition/create-nodes.ts";
import { createRooms, type AppOptions, type Rooms } from "#composition/rooms.ts";
import { loadSecrets, type Secrets } from "#secrets/secrets.ts";
import { registerPublic } from "#composition/register-rooms.ts";

/** A composed server; it neither listens nor sends until `start`. */
export interface App {
  readonly server: Server;
  readonly context: Context;
  /** Takes over unfinished work and listens; resolves with the address it listens on. */
  start(): Promise<string>;
  /** Resolves with a one-use link that creates the first account; null if there is one, or on a worker. */
  createSetUpLink(): Promise<string | null>;
  /** Announces that this process will stop, so that load balancers send no more traffic; it still serves requests. */
  drain(): void;
  /** Finishes the work under way and gives back the rest. Nothing runs afterwards. */
  stop(): Promise<void>;
}

/** Builds every part once, by hand. */
export async function createApp(given: AppOptions): Promise<App> {
  const { config, log } = given;
  const unlock = await takeFolder(given);
  const { context, clock, secrets } = await openContext(given);
  const options = { ...given, now: context.now, elapsed: context.elapsed };
  const nodes = createNodes(options, { context, clock });
  const proven = await createProvenTime(context);
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

/**
 * Prepares the data folder, and returns the function that unlocks it. A SQLite file belongs to one process; PostgreSQL
 * needs no lock.
 */
async function takeFolder({ config: { dataDir, database }, log }: AppOptions): Promise<() => void> {
  const opened = await prepareDataFolder(dataDir);
  if (opened.length > 0) log.warn({ paths: opened }, "what others could read was closed to them");
  return database.kind === "sqlite" ? lockInstance(join(dataDir, "server.lock")) : () => {};
}

/** The HTTP server closes first, so that no new requests arrive while the rest shuts down. */
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

interface OpenedContext {
  readonly context: Context;
  /** Null on SQLite, where this machine's clock is the only one. */
  readonly clock: DatabaseClock | null;
  readonly secrets: Secrets;
}

async function openContext(options: AppOptions): Promise<OpenedContext> {
  const database = openDatabase(options.config.database, options.log);
  try {
    return await prepareContext(options, database);
  } catch (error) {
    // A failed start must not leave the database open.
    await database.close();
    throw error;
  }
}

async function prepareContext(
  { config, log, now, elapsed, time }: AppOptions,
  database: Database,
): Promise<OpenedContext> {
  const steps = await bringUpToDate(config.database, { database, log });
  if (steps.length > 0) log.info({ steps }, "the database was brought up to date");
  await refuseUnfinishedMove(database);
  const clock = config.database.kind === "sqlite" ? null : new DatabaseClock(elapsed);
  await clock?.read(() => readClock(database));
  const clocks = time ?? { now: clock?.now ?? now, elapsed };
  await prepareDays(database, { now: clocks.now() });
  const secrets = await loadSecrets(config, database);
  const seal = createRowSeal({ secret: secrets.session, isSealing: secrets.isSealed });
  const context = { database, ...clocks, newId: createIds(clocks.now), log, seal };
  return { context, clock, secrets };
}

/** Migrates with long timeouts: those of requests are seconds, too short for changes of a large table. */
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
