import { inspectSqlite } from "#database/inspect-sqlite.ts";
import type { MigrationStatus } from "#database/migration.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";
import { assessLaterVersion } from "./later-version.ts";

/** Checks whether the database is readable, intact and usable by this version. A server may run meanwhile. */
export async function checkDatabaseFile(path: string, signal: AbortSignal): Promise<Verdict> {
  const inspection = await inspectSqlite(path, signal);
  switch (inspection.kind) {
    case "missing":
      return ok(`${path} will be created at the first start.`);
    case "sound":
      return assessMigrations(path, inspection.migrations);
    case "damaged":
      return fail(
        `The database ${path} is damaged.`,
        "Stop the server, keep a copy of the file, and restore a backup.",
      );
    case "unreadable":
      return fail(
        `The database ${path} cannot be opened (SQLite error ${inspection.code ?? "unknown"}).`,
        "Run tocsin doctor as the user that runs the server, and check the permissions of the file.",
      );
    case "unfinished":
      return warn(
        `The check of ${path} did not finish; so far, it found no damage.`,
        "Check it when there is time: sqlite3 FILE 'pragma quick_check'",
      );
  }
}

function assessMigrations(path: string, migrations: MigrationStatus): Verdict {
  const { pending } = migrations;
  const laterVersion = assessLaterVersion(migrations, `the database ${path}`);
  if (laterVersion !== null) return laterVersion;
  if (pending.length > 0) {
    return ok(`${path} is sound; the next start brings it up to date (${pending.join(", ")}).`);
  }
  return ok(`${path} is sound and up to date.`);
}
