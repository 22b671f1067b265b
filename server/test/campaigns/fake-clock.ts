import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scope } from "../support/scope.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Debian's folder for libraries, with a folder per architecture. */
const LIBRARIES = "/usr/lib";

/** The wall clock of processes started with its environment; their monotonic clock is not affected. */
export interface FakeClock {
  readonly environment: Readonly<Record<string, string>>;
  /** Sets its offset from the real time; processes see it within a second. */
  set(offsetMs: number): void;
}

/** Returns why the clock cannot be faked here; null if it can. */
export function fakeClockObstacle(): string | null {
  return findLibrary() === null ? "libfaketime is missing: apt-get install faketime." : null;
}

/** Creates a clock that shows the real time until it is set. */
export async function createFakeClock(scope: Scope): Promise<FakeClock> {
  const folder = await temporaryFolder(scope);
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711);
  const file = join(folder, "offset");
  const set = (offsetMs: number) =>
    writeFileSync(file, `${signOf(offsetMs)}${Math.abs(offsetMs) / 1_000}s\n`);
  set(0);
  return {
    set,
    environment: {
      LD_PRELOAD: findLibrary() ?? "",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: "1",
      // Timers and in-memory leases use the monotonic clock: only the wall clock is faked.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  };
}

function signOf(offsetMs: number): string {
  return offsetMs < 0 ? "-" : "+";
}

function findLibrary(): string | null {
  const path = readdirSync(LIBRARIES)
    .map((folder) => join(LIBRARIES, folder, "faketime/libfaketimeMT.so.1"))
    .find((candidate) => existsSync(candidate));
  return path ?? null;
}
