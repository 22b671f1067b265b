import { connectNodes } from "#composition/connect-nodes.ts";
import { createNodes, createProvenTime } from "#composition/create-nodes.ts";
import { openContext, lockDataFolder } from "#composition/open-context.ts";
import { registerPublicRoutes } from "#composition/register-rooms.ts";
import { createRooms, type AppOptions, type Rooms } from "#composition/rooms.ts";
import type { Context } from "#context.ts";
import { announceClose, closeServer } from "#http/close.ts";
import { registerOpenApi } from "#http/openapi.ts";
import { registerMonitoring } from "#http/monitoring.ts";
import { createServer, type Server } from "#http/server.ts";

/** A composed server; it neither listens nor sends until `start`. */
export interface App {
  readonly server: Server;
  readonly context: Context;
  /** Takes over unfinished work and listens; resolves with the address it listens on. */
  start(): Promise<string>;
  /** Resolves with the single-use link for the first administrator; null if there is one already, or on a worker. */
  createSetUpLink(): Promise<string | null>;
  /** Announces that this process will stop, so that load balancers send no more traffic; it still serves requests. */
  drain(): void;
  /** Finishes the work in progress and releases the rest. Nothing runs afterwards. */
  stop(): Promise<void>;
}

/** Builds every component once. Dependencies are wired by hand. */
export async function createApp(appOptions: AppOptions): Promise<App> {
  const { config, log } = appOptions;
  const unlock = await lockDataFolder(appOptions);
  const { context, clock, secrets } = await openContext(appOptions);
  const options = { ...appOptions, now: context.now, elapsed: context.elapsed };
  const nodes = createNodes(options, { context, clock });
  const provenTime = await createProvenTime(context);
  const rooms = await createRooms(options, { context, nodes, provenTime, secrets });
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
  registerMonitoring(server, {
    metrics: rooms.metrics.registry,
    metricsToken: config.metricsToken,
    isReady: async () => isReady && (await context.database.isWritable()),
  });
  if (config.role !== "worker") registerPublicRoutes(server, options, rooms);
  return {
    server,
    context,
    createSetUpLink: async () => (config.role === "worker" ? null : rooms.createSetUpLink()),
    async start() {
      await startRooms(config, rooms);
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

async function startRooms(config: AppOptions["config"], rooms: Rooms): Promise<void> {
  await rooms.nodes.start();
  rooms.provenTime.start();
  // On a file that belongs to this process, streams that an earlier process held have ended.
  if (config.database.kind === "sqlite") await rooms.apps.takeOver(null);
  await rooms.delivery.worker.start();
  rooms.apps.start();
  if (config.role === "api") return;
  rooms.timers.start();
  rooms.mail.start();
  rooms.callbacks.start();
  rooms.retention.start();
  rooms.leftDeviceNotifier.start();
}

/** The HTTP server closes early, so that no new requests arrive while the rest shuts down. */
async function stop(server: Server, rooms: Rooms): Promise<void> {
  // The HTTP server waits for its connections, and those of apps never end by themselves.
  await rooms.apps.stop();
  await closeServer(server);
  await rooms.leftDeviceNotifier.stop();
  rooms.incidents.stop();
  await rooms.timers.stop();
  await rooms.delivery.worker.stop();
  await Promise.all([
    rooms.retention.stop(),
    rooms.mail.stop(),
    rooms.callbacks.stop(),
    rooms.keys.stop(),
    rooms.rateLimit.stop(),
  ]);
  await rooms.provenTime.stop();
  await rooms.close();
  await rooms.nodes.stop();
  await rooms.context.database.close();
}
