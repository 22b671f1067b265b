import { inspectPostgres } from "#database/inspect-postgres.ts";
import { parseDatabaseAddress, explainPostgresFailure } from "#database/postgres-failure.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";
import { assessLaterVersion } from "./later-version.ts";

/** The oldest PostgreSQL version that Tocsin is tested with. */
const VERSION_MIN = 15;
/** PostgreSQL's `server_version_num` is the major version times this number, plus the minor version. */
const MAJOR_VERSION_FACTOR = 10_000;
const SECOND_MS = 1_000;
/** The largest offset without a warning. Times come from the database's clock, and push services check them. */
const OFFSET_OK_MS = 30 * SECOND_MS;

/**
 * Checks whether PostgreSQL is reachable and recent enough, its clock is right, and this version can use the database.
 * Changes nothing, and reveals no password.
 */
export async function checkDatabaseServer(url: string, now: () => number): Promise<Verdict> {
  const { server, name } = parseDatabaseAddress(url);
  const queriedAt = now();
  try {
    const inspection = await inspectPostgres(url);
    const major = Math.floor(inspection.version / MAJOR_VERSION_FACTOR);
    if (major < VERSION_MIN) {
      return fail(
        `PostgreSQL at ${server} is version ${major}; Tocsin needs ${VERSION_MIN} or later.`,
        `Upgrade PostgreSQL to ${VERSION_MIN} or later.`,
      );
    }
    const laterVersion = assessLaterVersion(
      inspection.migrations,
      `the database ${name} at ${server}`,
    );
    if (laterVersion !== null) return laterVersion;
    // If the clocks agree, the database's time lies between the start and the end of the query.
    const offsetMs = Math.max(
      0,
      queriedAt - inspection.inspectedAt,
      inspection.inspectedAt - now(),
    );
    if (offsetMs > OFFSET_OK_MS) {
      return warn(
        `The clock of PostgreSQL at ${server}, which is authoritative, is ${Math.round(offsetMs / SECOND_MS)} s from this machine's.`,
        "Set both clocks, and keep them right with NTP.",
      );
    }
    const subject = `PostgreSQL ${major} at ${server} answers; ${name}`;
    return inspection.migrations.pending.length === 0
      ? ok(`${subject} is up to date, and the clocks agree.`)
      : ok(
          `${subject} is brought up to date by the next start (${inspection.migrations.pending.join(", ")}).`,
        );
  } catch (error) {
    const reason = explainPostgresFailure(error, { url });
    if (reason === null) throw error;
    // The first sentence is the problem, the others are the remedy.
    const end = reason.indexOf(". ") + 1;
    return fail(reason.slice(0, end), reason.slice(end + 1));
  }
}
