import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** The exit code and output of a finished run of `tocsin`. */
export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The surroundings of a run of `tocsin`. */
export interface RunOptions {
  /** The environment variables. The process inherits only those in `TEST_ENVIRONMENT`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The text on standard input, from a pipe; absent for no input. */
  readonly input?: string;
  /** Keeps standard input open, as a pipe. */
  readonly keepsInput?: boolean;
  /** The working folder. */
  readonly cwd?: string;
  /** A shell command that runs on the same terminal afterwards. */
  readonly afterwards?: string;
}

const MAIN = join(import.meta.dirname, "main.ts");
const RUN_TIMEOUT_MS = 30_000;

/** The variables that `npm test` sets to make tests fast. */
const TEST_ENVIRONMENT = Object.fromEntries(
  ["NODE_COMPILE_CACHE", "NODE_OPTIONS"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Runs `tocsin` in its own process, and resolves when it has exited. */
export async function runTocsin(
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  return waitForExit(startTocsin(args, options));
}

/** Starts `tocsin` in its own process. */
export function startTocsin(args: readonly string[], options: RunOptions = {}): ChildProcess {
  return start([process.execPath, MAIN, ...args], options);
}

/** The reason to skip tests on a terminal, or false. */
export const NO_TERMINAL = process.platform === "linux" ? false : "needs script of util-linux";

/** Starts `tocsin` on a terminal. Its standard output and its standard error both appear on standard output. */
export function startOnTerminal(args: readonly string[], options: RunOptions = {}): ChildProcess {
  const words = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
  const { afterwards } = options;
  // Ctrl-C also reaches the shell.
  const command = afterwards === undefined ? words : `trap : INT; ${words}; ${afterwards}`;
  return start(["script", "--quiet", "--return", "--command", command, "/dev/null"], options);
}

/** Resolves with the exit code and output of the process, once it has exited. */
export async function waitForExit(child: ChildProcess): Promise<RunResult> {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  }
  // "close" is emitted after all output has been read.
  const [code] = (await once(child, "close")) as [number | null]; // Node's signature of the event.
  return { code, ...output };
}

/** Resolves with the output once it contains the text; rejects if the output ends without it. */
export async function waitForOutput(stream: Readable | null, text: string): Promise<string> {
  let received = "";
  for await (const chunk of stream?.iterator({ destroyOnReturn: false }) ?? []) {
    received += String(chunk);
    if (received.includes(text)) return received;
  }
  throw new Error(`The output ended without "${text}":\n${received}`);
}

function start([command = "", ...args]: readonly string[], options: RunOptions): ChildProcess {
  const { environment = {}, input, keepsInput = false, cwd } = options;
  const child = spawn(command, args, {
    env: { ...TEST_ENVIRONMENT, ...environment },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: [input === undefined && !keepsInput ? "ignore" : "pipe", "pipe", "pipe"],
    timeout: RUN_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  // A process that reads only one line may exit before the rest is written.
  child.stdin?.on("error", () => {});
  if (input !== undefined) child.stdin?.end(input);
  return child;
}
