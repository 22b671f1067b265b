import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DEFECT_VARIABLE } from "../campaigns/defect.ts";
import type { Scope } from "./scope.ts";

const ENTRY_POINT_PATH = fileURLToPath(new URL("./serve.ts", import.meta.url));
const START_TIMEOUT_MS = 120_000;

/** Variables of the test run that the server needs too. */
const INHERITED_ENVIRONMENT = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE", "NODE_OPTIONS", DEFECT_VARIABLE].map((name) => [
    name,
    process.env[name],
  ]),
);

/** A server in a separate process. */
export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>;
  /** Kills the process without notice (SIGKILL), and resolves when it has ended. */
  kill(): Promise<void>;
}

/** Options of `startServerProcess`. */
export interface ServerProcessOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** A program that runs the server's command, such as a tracer, with its arguments. */
  readonly wrapperCommand?: readonly string[];
  /** Flags of Node. */
  readonly flags?: readonly string[];
  /** Called with all output, from the first line on. */
  readonly onOutput?: (text: string) => void;
}

/** Starts a server process and resolves when it listens. It ends with the scope. */
export async function startServerProcess(
  scope: Scope,
  { environment, wrapperCommand = [], flags = [], onOutput }: ServerProcessOptions,
): Promise<ServerProcess> {
  const node = [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    ...flags,
    ENTRY_POINT_PATH,
  ];
  const command = [...wrapperCommand, ...node];
  const child = spawn(command[0] ?? "", command.slice(1), {
    env: { ...INHERITED_ENVIRONMENT, TOCSIN_PORT: "0", TOCSIN_SIGN_UP: "open", ...environment },
    stdio: ["ignore", "pipe", onOutput === undefined ? "inherit" : "pipe"],
  });
  if (onOutput !== undefined) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", onOutput);
  }
  const ended = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  scope.after(kill);
  return { url: await readUrl(child), child, ended, kill };
}

async function readUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("The server's output is not read.");
  const lines = createInterface({ input: child.stdout });
  const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
  try {
    for await (const line of lines) {
      const url = /Tocsin listens on (http:\S+)/.exec(line)?.[1];
      if (url === undefined) continue;
      // The pipe must not fill up later.
      child.stdout.resume();
      return url;
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error("The server ended before it listened.");
}
