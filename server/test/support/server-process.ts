import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DEFECT_VARIABLE } from "../campaigns/defect.ts";
import type { Scope } from "./scope.ts";

const ENTRY = fileURLToPath(new URL("./serve.ts", import.meta.url));
const START_TIMEOUT_MS = 120_000;

/** Beside the path, what `npm test` sets so that Node is quick, and the defect that a test must notice. */
const OF_THE_TESTS = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE", "NODE_OPTIONS", DEFECT_VARIABLE].map((name) => [
    name,
    process.env[name],
  ]),
);

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Resolves when it is gone, by itself or not. */
  readonly ended: Promise<unknown>;
  /** Ends it as a power failure would, and resolves when it is gone. */
  kill(): Promise<void>;
}

export interface ServerProcessOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** A program that runs the server, with its arguments, such as a tracer. */
  readonly under?: readonly string[];
  /** Flags of Node's own. */
  readonly flags?: readonly string[];
  /** Called with all that it prints, from the first line on. */
  readonly onOutput?: (text: string) => void;
}

/** Starts a server process and resolves once it listens; it ends with the scope. */
export async function startServerProcess(
  scope: Scope,
  { environment, under = [], flags = [], onOutput }: ServerProcessOptions,
): Promise<ServerProcess> {
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", ...flags, ENTRY];
  const command = [...under, ...node];
  const child = spawn(command[0] ?? "", command.slice(1), {
    env: { ...OF_THE_TESTS, TOCSIN_PORT: "0", TOCSIN_SIGN_UP: "open", ...environment },
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
  return { url: await addressOf(child), child, ended, kill };
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("The server's output is not read.");
  const lines = createInterface({ input: child.stdout });
  const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
  try {
    for await (const line of lines) {
      const address = /Tocsin listens on (http:\S+)/.exec(line)?.[1];
      if (address === undefined) continue;
      // The pipe must not fill up later.
      child.stdout.resume();
      return address;
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error("The server ended before it listened.");
}
