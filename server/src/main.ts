import { flushCompileCache } from "node:module";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { pino, type Logger } from "pino";
import { createApp, type App } from "./app.ts";
import { ConfigError, loadConfig, type Config } from "#config/config.ts";
import { createLog, type LogOutput } from "#process/log.ts";
import { IdleMemory } from "#process/idle-memory.ts";
import { explainStartFailure } from "#process/start-failure.ts";

/** Time for load balancers to see that this process is not ready and to send it no more traffic. */
const DRAIN_MS = 3_000;
/**
 * How far the heap may grow before a collection, in percent of the live objects. V8's default is up to three times as
 * much: with the default, a message to a million devices used 60 MB more memory and was not faster.
 */
const HEAP_GROWING_PERCENT = 60;
/** Time within which a repeated Ctrl-C counts as the first one, delivered twice. */
const REPEAT_WINDOW_MS = 500;
/** The exit code of a process that Ctrl-C ended. */
const INTERRUPTED_EXIT_CODE = 130;

const elapsed: () => number = performance.now.bind(performance);

/** Runs the server until a signal stops it; returns the exit code of the process. */
export async function serve(): Promise<number> {
  // Node's crash reports may be shown to others, and the environment holds secrets.
  process.report.excludeEnv = true;
  const config = readConfigOrExplain();
  if (config === null) return 1;
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  const log = createLog(config, chooseOutput());
  let app: App | null = null;
  try {
    app = await createApp({ config, log, now: Date.now, elapsed, random: Math.random });
    const stopSignal = waitForStopSignal();
    const address = await app.start();
    // Flushed now, because a killed process writes no cache.
    flushCompileCache();
    await announce(app, { config, log, address });
    const idleMemory = new IdleMemory();
    idleMemory.start();
    const signal = await stopSignal;
    idleMemory.stop();
    log.info({ signal }, "stopping");
    await stop(app, signal);
    log.info("stopped");
    return 0;
  } catch (error) {
    const reason = explainStartFailure(error, config);
    if (reason === null) log.fatal({ err: error }, "the server failed");
    else process.stderr.write(`${reason}\n`);
    await app?.stop().catch(() => {});
    return 1;
  }
}

/**
 * A terminal keeps the order of lines only if all go through `process.stdout`; elsewhere pino's own output is faster.
 */
function chooseOutput(): LogOutput {
  if (process.stdout.isTTY) return process.stdout;
  const destination = pino.destination(process.stdout.fd);
  return { write: (line) => destination.write(line) };
}

function readConfigOrExplain(): Config | null {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return null;
  }
}

interface Announcement {
  readonly config: Config;
  readonly log: Logger;
  readonly address: string;
}

async function announce(app: App, { config, log, address }: Announcement): Promise<void> {
  const link = await app.createSetUpLink();
  log.info({ address, baseUrl: config.baseUrl, dataDir: config.dataDir }, "listening");
  process.stdout.write(`\n  Tocsin listens on ${address}\n`);
  if (link !== null) {
    process.stdout.write(`  Open this link once to create the first account:\n\n    ${link}\n`);
  }
  process.stdout.write("\n");
}

/**
 * SIGINT comes from a person who waits at a terminal. SIGTERM comes from a supervisor, and its load balancer needs
 * time.
 */
async function stop(app: App, signal: NodeJS.Signals): Promise<void> {
  app.drain();
  if (signal === "SIGTERM") await wait(DRAIN_MS);
  else
    process.stdout.write(
      "\n  Waiting for running work to finish; Ctrl-C again stops immediately.\n",
    );
  await app.stop();
}

/**
 * Resolves with the first signal to stop. Later ones are ignored, because a signal to a process group may arrive
 * twice. Another Ctrl-C after `REPEAT_WINDOW_MS` exits immediately.
 */
function waitForStopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | null = null;
  process.on("SIGTERM", resolve);
  process.on("SIGINT", (signal) => {
    resolve(signal);
    firstAt ??= elapsed();
    // The next start takes over the work in progress, as after a kill.
    if (elapsed() - firstAt > REPEAT_WINDOW_MS) process.exit(INTERRUPTED_EXIT_CODE);
  });
  return promise;
}
