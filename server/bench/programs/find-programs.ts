import { spawnSync } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { LOOPBACK } from "../../test/doubles/listen.ts";
import { bark } from "./bark.ts";
import { gorush } from "./gorush.ts";
import { gotify } from "./gotify.ts";
import { ntfy } from "./ntfy.ts";
import { SYSTEM_PATH, type PeerName, type PeerProgram } from "./program.ts";

/** The servers that can be measured beside ours. */
export const PEER_PROGRAMS: readonly PeerProgram[] = [ntfy, gotify, gorush, bark];

/** Returns a server by its name. */
export function getProgram(name: PeerName): PeerProgram {
  const program = PEER_PROGRAMS.find((candidate) => candidate.name === name);
  if (program === undefined) throw new RangeError(`Unknown program: ${name}.`);
  return program;
}

/** A binary that was found and printed its version. */
export interface FoundProgram {
  readonly name: PeerName;
  readonly path: string;
  readonly version: string;
}

/** A server that cannot be measured, and why. */
export interface MissingProgram {
  readonly name: PeerName;
  readonly reason: string;
}

const VERSION_TIMEOUT_MS = 10_000;
/** Some binaries start the server instead of printing their version. These settings keep the server on loopback. */
const VERSION_ENVIRONMENT = { GOTIFY_SERVER_LISTENADDR: LOOPBACK, GOTIFY_SERVER_PORT: "0" };

/** Looks for the binaries in a folder, and asks each for its version. */
export function findPrograms(folder: string): {
  readonly found: readonly FoundProgram[];
  readonly missing: readonly MissingProgram[];
} {
  // A binary that starts although it was asked for its version may write files.
  const workFolder = mkdtempSync(join(tmpdir(), "tocsin-bench-"));
  try {
    const results = PEER_PROGRAMS.map((program) => findProgram(program, { folder, workFolder }));
    return {
      found: results.filter((result) => "path" in result),
      missing: results.filter((result) => "reason" in result),
    };
  } finally {
    rmSync(workFolder, { recursive: true });
  }
}

function findProgram(
  { name, binaries, versionArgs, versionPattern }: PeerProgram,
  { folder, workFolder }: { readonly folder: string; readonly workFolder: string },
): FoundProgram | MissingProgram {
  const path = binaries.map((binary) => resolve(join(folder, binary))).find(isExecutable);
  if (path === undefined)
    return { name, reason: `${folder} has no executable ${binaries.join(" or ")}` };
  const { stdout, stderr } = spawnSync(path, versionArgs, {
    cwd: workFolder,
    env: { PATH: SYSTEM_PATH, HOME: workFolder, ...VERSION_ENVIRONMENT },
    encoding: "utf8",
    timeout: VERSION_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const [, version] = versionPattern.exec(`${stdout}\n${stderr}`) ?? [];
  if (version === undefined)
    return { name, reason: `${path} ${versionArgs.join(" ")} prints no version` };
  return { name, path, version };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
