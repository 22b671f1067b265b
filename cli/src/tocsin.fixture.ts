import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** A run of `tocsin` that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** All its variables except those that make tests fast: it inherits nothing else of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The text that a pipe gives on standard input; by default there is none. */
  readonly input?: string;
  /** Standard input is a pipe that stays open for more. */
  readonly keepsInput?: boolean;
  /** The working folder. */
  readonly cwd?: string;
}

const MAIN = join(import.meta.dirname, "main.ts");
const RUN_TIMEOUT_MS = 30_000;

/** Set by `npm test`. */
const OF_THE_TESTS = Object.fromEntries(
  ["NODE_COMPILE_CACHE", "NODE_OPTIONS"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Runs `tocsin` as people do, in a process of its own, to its end. */
export async function tocsin(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return ended(startTocsin(args, options));
}

/** Starts `tocsin` in a process of its own. */
export function startTocsin(args: readonly string[], options: RunOptions = {}): ChildProcess {
  return start([process.execPath, MAIN, ...args], options);
}

/** The reason that tests at a terminal cannot run here, or false. */
export const NO_TERMINAL = process.platform === "linux" ? false : "needs script of util-linux";

/** Starts `tocsin` at a terminal, which shows both its streams on standard output. */
export function startOnTerminal(args: readonly string[], options: RunOptions = {}): ChildProcess {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
  return start(["script", "--quiet", "--return", "--command", command, "/dev/null"], options);
}

/** Resolves with the output of the process, once it has ended. */
export async function ended(child: ChildProcess): Promise<Ended> {
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => (texts[name] += text));
  }
  // "close" is emitted after everything was read.
  const [code] = (await once(child, "close")) as [number | null]; // Node's signature of the event.
  return { code, ...texts };
}

/** Resolves with the output up to the text and a little further; rejects if the output ends without it. */
export async function printed(stream: Readable | null, text: string): Promise<string> {
  let seen = "";
  for await (const chunk of stream?.iterator({ destroyOnReturn: false }) ?? []) {
    seen += String(chunk);
    if (seen.includes(text)) return seen;
  }
  throw new Error(`The output ended without "${text}":\n${seen}`);
}

function start([command = "", ...args]: readonly string[], options: RunOptions): ChildProcess {
  const { environment = {}, input, keepsInput = false, cwd } = options;
  const child = spawn(command, args, {
    env: { ...OF_THE_TESTS, ...environment },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: [input === undefined && !keepsInput ? "ignore" : "pipe", "pipe", "pipe"],
    timeout: RUN_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  // A process that reads only one line may be gone before the rest is written.
  child.stdin?.on("error", () => {});
  if (input !== undefined) child.stdin?.end(input);
  return child;
}
