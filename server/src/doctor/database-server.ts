import { inspectPostgres } from "#database/inspect-postgres.ts";
import { addressOf, explainPostgresFailure } from "#database/postgres-failure.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";
import { assessLaterVersion } from "./later-version.ts";

/** The oldest PostgreSQL version that Tocsin is tested with. */
const VERSION_MIN = 15;
const SECOND_MS = 1_000;
/** The maximum offset. The database's clock is authoritative, and push services check the times that it provides. */
const OFFSET_OK_MS = 30 * SECOND_MS;

/** Checks whether PostgreSQL is reachable, recent enough and migrated. Changes nothing, and reveals no password. */
export async function checkDatabaseServer(url: string, now: () => number): Promise<Verdict> {
  const { server, name } = addressOf(url);
  const queriedAt = now();
  try {
    const inspection = await inspectPostgres(url);
    const major = Math.floor(inspection.version / 10_000);
    if (major < VERSION_MIN) {
      return fail(
        `PostgreSQL at ${server} is version ${major}; Tocsin needs ${VERSION_MIN} or later.`,
        `Upgrade PostgreSQL to ${VERSION_MIN} or later.`,
      );
    }
    const later = assessLaterVersion(inspection.steps, `The database ${name} at ${server}`);
    if (later !== null) return later;
    const offsetMs = Math.max(0, queriedAt - inspection.at, inspection.at - now());
    if (offsetMs > OFFSET_OK_MS) {
      return warn(
        `The clock of PostgreSQL at ${server}, which rules, is ${Math.round(offsetMs / SECOND_MS)} s from this machine's.`,
        "Set both clocks, and keep them right with NTP.",
      );
    }
    const subject = `PostgreSQL ${major} at ${server} answers; ${name}`;
    return inspection.steps.pending.length === 0
      ? ok(`${subject} is up to date, and the clocks agree.`)
      : ok(
          `${subject} is brought up to date by the next start (${inspection.steps.pending.join(", ")}).`,
        );
  } catch (error) {
    const reason = explainPostgresFailure(error, { url });
    if (reason === null) throw error;
    const end = reason.indexOf(". ") + 1;
    return fail(reason.slice(0, end), reason.slice(end + 1));
  }
}
