import { flushCompileCache } from "node:module";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { pino, type Logger } from "pino";
import { createApp, type App } from "./app.ts";
import { ConfigError, loadConfig, type Config } from "#config/config.ts";
import { createLog, type LogOutput } from "#process/log.ts";
import { IdleMemory } from "#process/idle-memory.ts";
import { explainStartFailure } from "#process/start-failure.ts";

/** Load balancers need this long to see that we are not ready, and send nobody here any more. */
const DRAIN_MS = 3_000;
/**
 * How much more than it needs the heap may hold, in percent. V8's own choice is up to three times as much: a message to a
 * million devices took 60 MB more memory, and was no faster.
 */
const HEAP_SPARE_PERCENT = 60;
/** A second Ctrl-C is one only after this; before, it is the first one, told twice. */
const AGAIN_AFTER_MS = 500;
/** The exit code of a process that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Runs the server until a signal stops it; returns the exit code of the process. */
export async function serve(): Promise<number> {
  // What Node writes of a crash is shown to others; the environment holds secrets.
  process.report.excludeEnv = true;
  const config = readConfigOrExplain();
  if (config === null) return 1;
  setFlagsFromString(`--heap-growing-percent=${HEAP_SPARE_PERCENT}`);
  const log = createLog(config, chooseOutput());
  let app: App | null = null;
  try {
    app = await createApp({ config, log, now: Date.now, random: Math.random });
    const signal = nextSignal();
    const address = await app.start();
    // At the end it would be too late: a process that is killed keeps nothing.
    flushCompileCache();
    await announce(app, { config, log, address });
    const idleMemory = new IdleMemory();
    idleMemory.start();
    const name = await signal;
    idleMemory.stop();
    log.info({ signal: name }, "stopping");
    await stop(app, name);
    log.info("stopped");
    return 0;
  } catch (error) {
    const reason = explainStartFailure(error, config);
    if (reason === null) log.fatal({ err: error }, "the server cannot go on");
    else process.stderr.write(`${reason}\n`);
    await app?.stop().catch(() => {});
    return 1;
  }
}

/** A terminal takes lines in the order in which they were written only by one way; pino's own is the quicker one elsewhere. */
function chooseOutput(): LogOutput {
  if (process.stdout.isTTY) return process.stdout;
  const quick = pino.destination(process.stdout.fd);
  return { write: (line) => quick.write(line) };
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
    process.stdout.write(`  Open this link once to make the first account:\n\n    ${link}\n`);
  }
  process.stdout.write("\n");
}

/** SIGINT is a person at a terminal, who waits; SIGTERM is a supervisor, whose load balancer needs time. */
async function stop(app: App, signal: NodeJS.Signals): Promise<void> {
  app.drain();
  if (signal === "SIGTERM") await wait(DRAIN_MS);
  else process.stdout.write("\n  Waiting for what is under way; Ctrl-C again stops at once.\n");
  await app.stop();
}

/**
 * Resolves with the first signal that asks to stop. Later ones change nothing, as a signal to a process group
 * may reach us twice; but who presses Ctrl-C again does not want to wait.
 */
function nextSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | null = null;
  process.on("SIGTERM", resolve);
  process.on("SIGINT", (signal) => {
    resolve(signal);
    firstAt ??= performance.now();
    // What is under way is taken over by the next start, as after a kill.
    if (performance.now() - firstAt > AGAIN_AFTER_MS) process.exit(INTERRUPTED);
  });
  return promise;
}
