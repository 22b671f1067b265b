import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scope } from "../support/scope.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** Debian's folder for libraries, with a folder per architecture. */
const LIBRARY_FOLDER = "/usr/lib";

/** The wall clock of processes started with its environment; their monotonic clock is not affected. */
export interface FakeClock {
  readonly environment: Readonly<Record<string, string>>;
  /** Sets the clock's offset from the real time; processes see it within a second. */
  setOffset(offsetMs: number): void;
}

/** Returns why the clock cannot be faked here; null if it can. */
export function findFakeClockObstacle(): string | null {
  return findFaketimeLibrary() === null
    ? "libfaketime is missing: apt-get install faketime."
    : null;
}

/** Creates a clock that shows the real time until it is set. */
export async function createFakeClock(scope: Scope): Promise<FakeClock> {
  const folder = await createTemporaryFolder(scope);
  // PostgreSQL runs as another user, who must be able to read the offset file.
  chmodSync(folder, 0o711);
  const offsetFile = join(folder, "offset");
  const setOffset = (offsetMs: number) =>
    writeFileSync(offsetFile, `${formatSign(offsetMs)}${Math.abs(offsetMs) / 1_000}s\n`);
  setOffset(0);
  return {
    setOffset,
    environment: {
      LD_PRELOAD: findFaketimeLibrary() ?? "",
      FAKETIME_TIMESTAMP_FILE: offsetFile,
      // In seconds: how long a process uses an offset before it reads the file again.
      FAKETIME_CACHE_DURATION: "1",
      // Timers and in-memory leases use the monotonic clock: only the wall clock is faked.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  };
}

function formatSign(offsetMs: number): string {
  return offsetMs < 0 ? "-" : "+";
}

function findFaketimeLibrary(): string | null {
  const path = readdirSync(LIBRARY_FOLDER)
    .map((folder) => join(LIBRARY_FOLDER, folder, "faketime/libfaketimeMT.so.1"))
    .find((candidate) => existsSync(candidate));
  return path ?? null;
}
