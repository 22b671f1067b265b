import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scope } from "../support/scope.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Where Debian's package puts its libraries, below the folder of the architecture. */
const LIBRARIES = "/usr/lib";

/** The clock of processes that were started with its variables; what they measure by elapsed time goes on. */
export interface FalseClock {
  readonly environment: Readonly<Record<string, string>>;
  /** Sets it to so many milliseconds from the real time; processes see it within a second. */
  set(offsetMs: number): void;
}

/** Returns why no clock can be set here; null where it can. */
export function falseClockObstacle(): string | null {
  return libraryIn() === null ? "libfaketime is missing: apt-get install faketime." : null;
}

/** Makes a clock that is right until it is set. */
export async function makeFalseClock(scope: Scope): Promise<FalseClock> {
  const folder = await temporaryFolder(scope);
  // PostgreSQL's processes are another user's.
  chmodSync(folder, 0o711);
  const file = join(folder, "offset");
  const set = (offsetMs: number) =>
    writeFileSync(file, `${sign(offsetMs)}${Math.abs(offsetMs) / 1_000}s\n`);
  set(0);
  return {
    set,
    environment: {
      LD_PRELOAD: libraryIn() ?? "",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: "1",
      // Timers and leases in memory go by what has elapsed: only the wall clock is set.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  };
}

function sign(offsetMs: number): string {
  return offsetMs < 0 ? "-" : "+";
}

function libraryIn(): string | null {
  const found = readdirSync(LIBRARIES)
    .map((folder) => join(LIBRARIES, folder, "faketime/libfaketimeMT.so.1"))
    .find((path) => existsSync(path));
  return found ?? null;
}
