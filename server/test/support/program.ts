import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";

/** The maximum duration of a program. A program that runs longer is stopped, and the test fails. */
const PROGRAM_MAX_MS = 60_000;

/** A program's exit code and output. */
export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of `runProgram`. */
export interface ProgramOptions {
  /** Variables in addition to PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
}

/** Whether the tests run on PostgreSQL, as in `database.ts`. */
const IS_ON_POSTGRES = process.env["TOCSIN_TEST_DATABASE_URL"] !== undefined;

/**
 * Returns whether the command succeeds. If not, skips the test and names the package to install; in CI, which installs all
 * packages, throws. Also skips the test on PostgreSQL, because an external program sees no difference.
 */
export function isInstalledOrSkip(
  test: TestContext,
  [command = "", ...args]: readonly string[],
  debianPackage: string,
): boolean {
  if (IS_ON_POSTGRES) {
    test.skip("runs only on SQLite: an external program sees no difference");
    return false;
  }
  if (spawnSync(command, args, { timeout: PROGRAM_MAX_MS }).status === 0) return true;
  test.skip(throwInCi(`needs ${command}: apt-get install ${debianPackage}`));
  return false;
}

/** Runs a program to its end. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { env = {}, input = "", cwd }: ProgramOptions = {},
): Promise<ProgramResult> {
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"], ...env },
    timeout: PROGRAM_MAX_MS,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  }
  // A program that ends without reading its input reports this in its exit code.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code]: (number | null)[] = await once(child, "close");
  return { code: code ?? null, ...output };
}

/** Folders of system programs, which only root has in its path. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/sbin"];

/** Returns the path of a program; null if it is not installed. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

/**
 * Returns the skip reason of tests that need a program, or false if it is installed. Throws in CI.
 */
export function skipUnlessInstalled(name: string, debianPackage: string): string | false {
  if (findProgram(name) !== null) return false;
  return throwInCi(`needs ${name}: apt-get install ${debianPackage}`);
}

/** Returns the skip reason. Throws in CI, which installs every needed program. */
export function throwInCi(reason: string): string {
  if (process.env["CI"] === "true") throw new Error(reason);
  return reason;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
