import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { listen, LOOPBACK } from "../../test/doubles/listen.ts";
import type { Scope } from "../../test/support/scope.ts";
import { getTasksetPrefix, type Core } from "../cpu-pinning.ts";
import type { PushHosts } from "./push-hosts.ts";

/** The names of other projects' servers, as in the report. */
export type PeerName = "ntfy" | "Gotify" | "gorush" | "Bark";

/** The server of another project: how its binary is found, asked for its version and started. */
export interface PeerProgram {
  readonly name: PeerName;
  /** The names that the binary may have. */
  readonly binaries: readonly string[];
  /** The arguments that make the binary print its version. */
  readonly versionArgs: readonly string[];
  /** A pattern whose first group matches the version in this output. */
  readonly versionPattern: RegExp;
  /** Starts the server with its default settings, apart from limits that a load from one address would hit. */
  start(scope: Scope, options: StartOptions): Promise<RunningProgram>;
}

/** The binary, the folder and the core for the start of a server. */
export interface StartOptions {
  /** The path of the binary. */
  readonly path: string;
  /** An empty folder for configuration and data, or that of an earlier start. */
  readonly folder: string;
  readonly core: Core;
  /** Redirects the hosts of push services to a double. Without it, the server must not send. */
  readonly pushHosts?: PushHosts;
}

/** A running server. */
export interface RunningProgram {
  readonly url: string;
  readonly pid: number;
}

/** The command line of a server, without its path. */
export interface ProgramCommand {
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A path that the server answers with 200 once it is ready. */
  readonly readyPath: string;
}

/** The `PATH` of every server. No other variable of the caller is passed on, so that none of them configures a server. */
export const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const START_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 2;
/** The number of characters at the end of a server's error output that the error about a failed start quotes. */
const QUOTED_CHARACTERS = 2_000;

/** Returns a loopback port that is free now. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  return port;
}

/** Starts a binary, and resolves when it is ready. Its working directory is its folder. It ends with the scope. */
export async function startProgram(
  scope: Scope,
  { path, folder, core, pushHosts, port }: StartOptions & { readonly port: number },
  { args, environment = {}, readyPath }: ProgramCommand,
): Promise<RunningProgram> {
  const prefix = [...getTasksetPrefix(core), ...(pushHosts?.commandPrefix ?? [])];
  const [command = "", ...commandArgs] = [...prefix, path, ...args];
  const child = spawn(command, commandArgs, {
    cwd: folder,
    env: { PATH: SYSTEM_PATH, HOME: folder, ...pushHosts?.environment, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  scope.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const url = `http://${LOOPBACK}:${port}`;
  await waitUntilReady(child, `${url}${readyPath}`);
  return { url, pid: child.pid ?? Number.NaN };
}

async function waitUntilReady(child: ChildProcess, readyUrl: string): Promise<void> {
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-QUOTED_CHARACTERS);
  });
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (child.exitCode === null && performance.now() < deadline) {
    const isReady = await fetch(readyUrl).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await wait(POLL_INTERVAL_MS);
  }
  throw new Error(`${child.spawnargs.join(" ")} was not ready at ${readyUrl}. ${output}`);
}
