import type { Steps } from "#database/migration.ts";
import { fail, warn, type Verdict } from "./finding.ts";

/** Returns a warning or failure if a later version of Tocsin migrated the database; otherwise null. */
export function assessLaterVersion({ unknown, isTooNew }: Steps, database: string): Verdict | null {
  if (unknown.length === 0) return null;
  if (isTooNew) {
    return fail(
      `${database} was changed by a later version of Tocsin, which this one cannot work with (${unknown.join(", ")}).`,
      "Run that version or a later one, or restore a backup from before.",
    );
  }
  return warn(
    `${database} was used by a later version of Tocsin (${unknown.join(", ")}); this one can work on it.`,
    "Run the later version again before long: it may keep what this one does not.",
  );
}
