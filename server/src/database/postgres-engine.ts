import { sql } from "kysely";
import { containsPattern, type Engine } from "./engine.ts";
import { foldCase, isAscii } from "./fold-case.ts";
import { InDoubtError } from "./in-doubt-error.ts";
import { TransactionLimitError } from "./transaction-limit.ts";

/** PostgreSQL 15 and later. Error codes are in appendix A of its manual. */
export const POSTGRES: Engine = {
  name: "postgres",
  booleanType: "boolean",
  timestampType: "timestamptz",
  // Columns compare by bytes, see byte-order.ts, so `ilike` folds only ASCII. For other texts, SQL does the work of
  // `foldCase`. Nearly all texts are normalized, and checking that is faster than normalizing them.
  contains: (text, part) =>
    isAscii(part)
      ? sql`${text} collate "C" ilike ${containsPattern(part)} escape '\\'`
      : sql`lower(case when ${text} is nfc normalized then ${text} else normalize(${text}, nfc) end
        collate "und-x-icu") collate "C" like ${containsPattern(foldCase(part))} escape '\\'`,
  skipLocked: sql`for update skip locked`,
  isOneOf: (column, values) => sql`${sql.ref(column)} = any(array${values})`,
  keepRows: sql`for no key update`,
  // The planner assumes that a `case` is true for half of the rows.
  often: (condition) => sql`case when ${condition} then true else false end`,
  keepsDeleted: true,
  byDay: (column) => sql`partition by range (${sql.ref(column)})`,
  // Leaves space for updates within a page, and vacuums before scans for due rows meet many dead ones.
  isHot: sql`with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)`,
  hold: (name) => sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`,
  isUnavailable: (error) =>
    isBroken(error) ||
    isConflict(error) ||
    isRefused(error) ||
    error instanceof TransactionLimitError,
  isInDoubt: (error) => isBroken(error) && !isUnsent(error),
};

/** Returns whether two transactions conflicted. Nothing of this one was stored. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error));
}

/** serialization_failure, deadlock_detected. */
const CONFLICTS: ReadonlySet<string> = new Set(["40001", "40P01"]);

/** Returns whether the connection is lost or was never opened. The last statement may have run or not. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof InDoubtError) return true;
  const code = codeOf(error);
  return code.startsWith("08") || BROKEN.has(code) || BROKEN_MESSAGES.test(error.message);
}

/** admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout, and network errors. */
const BROKEN: ReadonlySet<string> = new Set([
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EMFILE",
  "ENFILE",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Messages of client errors without a code. */
const BROKEN_MESSAGES =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|connection error and is not queryable/;

/** Returns whether a connection got no response in time. It may be dead, and so may other idle ones. */
export function isUnresponsive(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return UNRESPONSIVE.has(codeOf(error)) || error.message.includes("Query read timeout");
}

const UNRESPONSIVE: ReadonlySet<string> = new Set(["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"]);

/** Returns whether no connection was opened, so that nothing was sent. */
function isUnsent(error: unknown): boolean {
  return (
    UNSENT.has(codeOf(error)) || (error instanceof Error && UNSENT_MESSAGES.test(error.message))
  );
}

/** Errors of name lookup, of connecting, and of a database that is starting or stopping. */
const UNSENT: ReadonlySet<string> = new Set([
  "57P03",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EMFILE",
  "ENFILE",
  "ENOENT",
]);

const UNSENT_MESSAGES =
  /timeout exceeded when trying to connect|terminated due to connection timeout/;

function isRefused(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith("53") || REFUSED.has(code);
}

/** query_canceled, lock_not_available, read_only_sql_transaction, idle_in_transaction_session_timeout, io_error. */
const REFUSED: ReadonlySet<string> = new Set(["57014", "55P03", "25006", "25P03", "58030"]);

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
