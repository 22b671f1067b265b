import { inspectPostgres } from "#database/inspect-postgres.ts";
import { addressOf, explainPostgresFailure } from "#database/postgres-failure.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";
import { judgeLater } from "./later-version.ts";

/** PostgreSQL 15: the oldest version that the statements are written and tested for. */
const VERSION_MIN = 15;
const SECOND_MS = 1_000;
/** The database's clock is authoritative, and push services check what is signed by it. */
const CLOCK_GOOD_MS = 30 * SECOND_MS;

/** Checks whether PostgreSQL is reachable, is new enough and has its tables; changes nothing, and prints no password. */
export async function checkDatabaseServer(url: string, now: () => number): Promise<Verdict> {
  const { server, name } = addressOf(url);
  const askedAt = now();
  try {
    const found = await inspectPostgres(url);
    const major = Math.floor(found.version / 10_000);
    if (major < VERSION_MIN) {
      return fail(
        `PostgreSQL at ${server} is version ${major}; Tocsin needs ${VERSION_MIN} or later.`,
        `Upgrade PostgreSQL to ${VERSION_MIN} or later.`,
      );
    }
    const later = judgeLater(found.steps, `The database ${name} at ${server}`);
    if (later !== null) return later;
    const apartMs = Math.max(0, askedAt - found.at, found.at - now());
    if (apartMs > CLOCK_GOOD_MS) {
      return warn(
        `The clock of PostgreSQL at ${server}, which rules, is ${Math.round(apartMs / SECOND_MS)} s from this machine's.`,
        "Set both clocks, and keep them right with NTP.",
      );
    }
    const what = `PostgreSQL ${major} at ${server} answers; ${name}`;
    return found.steps.pending.length === 0
      ? ok(`${what} is up to date, and the clocks agree.`)
      : ok(`${what} is brought up to date by the next start (${found.steps.pending.join(", ")}).`);
  } catch (error) {
    const reason = explainPostgresFailure(error, { url });
    if (reason === null) throw error;
    const end = reason.indexOf(". ") + 1;
    return fail(reason.slice(0, end), reason.slice(end + 1));
  }
}
