import { sql } from "kysely";
import { toLikePattern, type Engine } from "./engine.ts";
import { foldCase, isPrintableAscii } from "./fold-case.ts";
import { InDoubtError } from "./in-doubt-error.ts";
import { TransactionLimitError } from "./transaction-limit.ts";

/** The engine of PostgreSQL 15 and later. Appendix A of its manual lists the error codes. */
export const POSTGRES: Engine = {
  name: "postgres",
  booleanType: "boolean",
  timestampType: "timestamptz",
  // Columns compare by bytes (see byte-order-plugin.ts), so `ilike` folds only ASCII letters. For other texts, SQL does
  // the work of `foldCase`. Nearly all texts are already normalized, and the check is faster than a normalization.
  contains: (text, part) =>
    isPrintableAscii(part)
      ? sql`${text} collate "C" ilike ${toLikePattern(part)} escape '\\'`
      : sql`lower(case when ${text} is nfc normalized then ${text} else normalize(${text}, nfc) end
        collate "und-x-icu") collate "C" like ${toLikePattern(foldCase(part))} escape '\\'`,
  skipLocked: sql`for update skip locked`,
  isOneOf: (column, values) => sql`${sql.ref(column)} = any(array${values})`,
  lockRows: sql`for no key update`,
  // The planner assumes that a `case` is true for half of the rows.
  expectMany: (condition) => sql`case when ${condition} then true else false end`,
  keepsDeletedRows: true,
  partitionedByDay: (column) => sql`partition by range (${sql.ref(column)})`,
  // The fill factor leaves space for updates within a page. The low thresholds let vacuum run before scans for due rows
  // meet many dead rows.
  frequentlyUpdated: sql`with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)`,
  lockName: (name) => sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`,
  isUnavailable: (error) =>
    isConnectionError(error) ||
    isConflict(error) ||
    isRefusedStatement(error) ||
    error instanceof TransactionLimitError,
  isInDoubt: (error) => isConnectionError(error) && !isUnsent(error),
};

/** Returns whether a transaction failed because of a conflict with another. Nothing of it was stored. */
export function isConflict(error: unknown): boolean {
  return CONFLICT_CODES.has(getErrorCode(error));
}

/** The codes `serialization_failure` and `deadlock_detected`. */
const CONFLICT_CODES: ReadonlySet<string> = new Set(["40001", "40P01"]);

/** Returns whether a connection was lost or never opened. A statement that was sent on it may have run. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof InDoubtError) return true;
  const code = getErrorCode(error);
  return (
    code.startsWith("08") ||
    CONNECTION_ERROR_CODES.has(code) ||
    CONNECTION_ERROR_MESSAGES.test(error.message)
  );
}

/**
 * The codes `admin_shutdown`, `crash_shutdown`, `cannot_connect_now` and `idle_session_timeout`, and the system's codes
 * for network errors, for a failed name lookup, for a missing socket file, and for a lack of file descriptors.
 */
const CONNECTION_ERROR_CODES: ReadonlySet<string> = new Set([
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

/** The messages of connection errors without a code. */
const CONNECTION_ERROR_MESSAGES =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|connection error and is not queryable/;

/**
 * Returns whether the server could not be reached or did not respond in time. The connection may be dead, and so may
 * idle connections to the same server.
 */
export function isUnresponsive(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    UNRESPONSIVE_CODES.has(getErrorCode(error)) || error.message.includes("Query read timeout")
  );
}

const UNRESPONSIVE_CODES: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** Returns whether the connection was never opened, so that no statement was sent. */
function isUnsent(error: unknown): boolean {
  return (
    UNSENT_CODES.has(getErrorCode(error)) ||
    (error instanceof Error && UNSENT_MESSAGES.test(error.message))
  );
}

/**
 * The code `cannot_connect_now`, and the system's codes for a refused connection, for a failed name lookup, for a
 * missing socket file, and for a lack of file descriptors.
 */
const UNSENT_CODES: ReadonlySet<string> = new Set([
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

/** Returns whether the database refused a statement that it may accept later. Class 53 is a lack of resources. */
function isRefusedStatement(error: unknown): boolean {
  const code = getErrorCode(error);
  return code.startsWith("53") || REFUSED_CODES.has(code);
}

/**
 * The codes `query_canceled`, `lock_not_available`, `read_only_sql_transaction`, `idle_in_transaction_session_timeout`
 * and `io_error`.
 */
const REFUSED_CODES: ReadonlySet<string> = new Set(["57014", "55P03", "25006", "25P03", "58030"]);

function getErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
