import { inspectSqlite } from "#database/inspect.ts";
import type { Steps } from "#database/migration.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";
import { assessLaterVersion } from "./later-version.ts";

/** Checks whether the database is readable and intact. A server may run meanwhile. */
export async function checkDatabase(path: string, signal: AbortSignal): Promise<Verdict> {
  const inspection = await inspectSqlite(path, signal);
  switch (inspection.kind) {
    case "missing":
      return ok(`${path} will be made at the first start.`);
    case "sound":
      return assessSteps(path, inspection.steps);
    case "damaged":
      return fail(
        `The database ${path} is damaged.`,
        "Stop the server, keep a copy of the file, and restore a backup.",
      );
    case "unreadable":
      return fail(
        `The database ${path} cannot be opened (SQLite error ${inspection.code ?? "unknown"}).`,
        "Run tocsin doctor as the user that runs the server, and look at the rights of the file.",
      );
    case "unfinished":
      return warn(
        `The check of ${path} did not finish; so far, it found no fault.`,
        "Check it when there is time: sqlite3 FILE 'pragma quick_check'",
      );
  }
}

function assessSteps(path: string, steps: Steps): Verdict {
  const { pending } = steps;
  const later = assessLaterVersion(steps, `The database ${path}`);
  if (later !== null) return later;
  if (pending.length > 0) {
    return ok(`${path} is sound; the next start brings it up to date (${pending.join(", ")}).`);
  }
  return ok(`${path} is sound and up to date.`);
}
