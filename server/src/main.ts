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
 * Spare heap beyond what is needed, in percent. V8's own choice is up to three times as much: a message to a million
 * devices took 60 MB more memory, and was no faster.
 */
const HEAP_SPARE_PERCENT = 60;
/** Time in which a repeated Ctrl-C counts as the first one, delivered twice. */
const AGAIN_AFTER_MS = 500;
/** The exit code of a process that Ctrl-C ended. */
const INTERRUPTED = 130;

const elapsed: () => number = performance.now.bind(performance);

/** Runs the server until a signal stops it; returns the exit code of the process. */
export async function serve(): Promise<number> {
  // Others get to see the crash reports that Node writes, and the environment holds secrets.
  process.report.excludeEnv = true;
  const config = readConfigOrExplain();
  if (config === null) return 1;
  setFlagsFromString(`--heap-growing-percent=${HEAP_SPARE_PERCENT}`);
  const log = createLog(config, chooseOutput());
  let app: App | null = null;
  try {
    app = await createApp({ config, log, now: Date.now, elapsed, random: Math.random });
    const signal = nextSignal();
    const address = await app.start();
    // At the end it would be too late: a killed process writes no cache.
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

/** A terminal keeps the order of lines only if all go through `process.stdout`; elsewhere pino's own output is faster. */
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

/** SIGINT comes from a person at a terminal, who waits; SIGTERM from a supervisor, whose load balancer needs time. */
async function stop(app: App, signal: NodeJS.Signals): Promise<void> {
  app.drain();
  if (signal === "SIGTERM") await wait(DRAIN_MS);
  else process.stdout.write("\n  Waiting for what is under way; Ctrl-C again stops at once.\n");
  await app.stop();
}

/**
 * Resolves with the first signal that asks to stop. Later ones are ignored, as a signal to a process group may arrive
 * twice, but another Ctrl-C after `AGAIN_AFTER_MS` exits at once.
 */
function nextSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | null = null;
  process.on("SIGTERM", resolve);
  process.on("SIGINT", (signal) => {
    resolve(signal);
    firstAt ??= elapsed();
    // The next start takes over the work under way, as after a kill.
    if (elapsed() - firstAt > AGAIN_AFTER_MS) process.exit(INTERRUPTED);
  });
  return promise;
}
