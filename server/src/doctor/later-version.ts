import type { MigrationStatus } from "#database/migration.ts";
import { fail, warn, type Verdict } from "./finding.ts";

/** Returns a warning or failure if a later version of Tocsin migrated the database; otherwise null. */
export function assessLaterVersion(
  { unknownMigrations, isTooNew }: MigrationStatus,
  databaseName: string,
): Verdict | null {
  if (unknownMigrations.length === 0) return null;
  if (isTooNew) {
    return fail(
      `A later version of Tocsin changed ${databaseName} so that this version cannot use it (${unknownMigrations.join(", ")}).`,
      "Run that version or a later one, or restore a backup from before the change.",
    );
  }
  return warn(
    `A later version of Tocsin changed ${databaseName} (${unknownMigrations.join(", ")}). This version can still use it.`,
    "Run the later version again soon: it may store data that this version does not.",
  );
}
