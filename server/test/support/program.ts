import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";

/** A program that hangs is ended, and the test fails. */
const PROGRAM_MAX_MS = 60_000;

/** How a program ended, and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** All of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
}

/** As `database.ts` reads it. */
const ON_POSTGRES = process.env["TOCSIN_TEST_DATABASE_URL"] !== undefined;

/**
 * Returns true where the command ends well. Where it does not, the program is not installed: the test is skipped and says how to
 * install it; in CI, which installs it, the test fails. A second time, on PostgreSQL, no program runs: it would see no difference.
 */
export function isInstalled(
  test: TestContext,
  [command = "", ...args]: readonly string[],
  debianPackage: string,
): boolean {
  if (ON_POSTGRES) {
    test.skip("is run on SQLite: a program outside sees no difference");
    return false;
  }
  if (spawnSync(command, args, { timeout: PROGRAM_MAX_MS }).status === 0) return true;
  test.skip(unlessInCi(`needs ${command}: apt-get install ${debianPackage}`));
  return false;
}

/** Runs a program to its end. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { env = {}, input = "", cwd }: ProgramOptions = {},
): Promise<Ended> {
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"], ...env },
    timeout: PROGRAM_MAX_MS,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (texts[name] += text));
  }
  // A program that ends without reading reports it by its exit code.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code]: (number | null)[] = await once(child, "close");
  return { code: code ?? null, ...texts };
}

/** Programs of the system, which users other than root do not have in their path. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/sbin"];

/** Returns the path of a program; null where this machine has none. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

/**
 * Returns, for tests that need a program, how to get what is missing, or false. Throws in CI, which installs it.
 */
export function missing(name: string, debianPackage: string): string | false {
  if (findProgram(name) !== null) return false;
  return unlessInCi(`needs ${name}: apt-get install ${debianPackage}`);
}

/** Returns why a test is skipped; throws in CI, which installs all that tests need. */
export function unlessInCi(reason: string): string {
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
