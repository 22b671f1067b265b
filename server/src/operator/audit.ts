import type { AuditEvent } from "@tocsin/sdk";
import { pino } from "pino";
import { toEventResponse } from "#audit/response.ts";
import { readEventsBetween } from "#audit/chain/store.ts";
import { verifyChain, type DayFault } from "#audit/chain/verify.ts";
import { parseWitness, type Witness } from "#audit/chain/witness.ts";
import { formatDay } from "#audit/days.ts";
import { OPERATOR, type AuditEvent as EventToRecord } from "#audit/event.ts";
import { insertEventQuery, type RecordedEvent } from "#audit/store.ts";
import type { Config } from "#config/config.ts";
import type { Database } from "#database/database.ts";
import { listAppliedMigrations } from "#database/migration.ts";
import { auditLog } from "#database/migrations/0021-audit-log.ts";
import { openWithLongTimeouts, type DatabaseLocation } from "#database/open.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { OperatorError } from "./operator-error.ts";
import { formatDatabaseLocation } from "./database-location.ts";
import { requireDatabase } from "./require-database.ts";
import { createOperatorContext } from "./with-context.ts";

/** The database to read, and the clock. */
export interface AuditDeps {
  readonly config: Pick<Config, "database">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** An exported event: an audit event without the current names of accounts. */
export type ExportedEvent = Omit<AuditEvent, "accountName" | "actor"> & {
  readonly actor: Omit<AuditEvent["actor"], "accountName">;
};

/** The result of a verification of the whole audit log. Days have the form `2026-01-31`. */
export interface AuditReport {
  /** Number of chained days. The field keeps its first name, which `tocsin audit verify --json` prints. */
  readonly sealedDays: number;
  readonly events: number;
  /** The last day that has a digest; null if there is none. */
  readonly last: { readonly day: string; readonly digest: string } | null;
  /** The last day whose digest in the database equals its digest in the log lines. */
  readonly witnessedUntil: string | null;
  readonly faults: readonly { readonly day: string; readonly fault: DayFault }[];
}

/**
 * Calls `onEvent` for each event from `from` (inclusive) to `to` (exclusive), oldest first. Servers may run meanwhile.
 * Throws `OperatorError` if the log cannot be read.
 */
export async function exportAudit(
  { config }: AuditDeps,
  range: {
    readonly from: number;
    readonly to: number;
    readonly onEvent: (event: ExportedEvent) => void;
  },
): Promise<void> {
  await withAuditLog(config.database, async (database) => {
    for await (const event of readEventsBetween({ database }, range))
      range.onEvent(toExportedEvent(event));
  });
}

/**
 * Recomputes the chain of the audit log, and compares it with the digests in log lines, if there are any. Servers may
 * run meanwhile. Throws `OperatorError` if the log cannot be read.
 */
export async function verifyAudit(
  { config, now }: AuditDeps,
  logLines: AsyncIterable<string> | null,
): Promise<AuditReport> {
  const witnesses = logLines === null ? [] : await readWitnesses(logLines);
  return withAuditLog(config.database, async (database) => {
    const context = createOperatorContext(database, { now, log: SILENT_LOG });
    const { faults, last, witnessedUntil, chainedDays, eventCount } = await verifyChain(
      context,
      witnesses,
    );
    return {
      sealedDays: chainedDays,
      events: eventCount,
      last: last === null ? null : { day: formatDay(last.day), digest: last.digest },
      witnessedUntil: witnessedUntil === null ? null : formatDay(witnessedUntil),
      faults: faults.map(({ day, fault }) => ({ day: formatDay(day), fault })),
    };
  });
}

async function readWitnesses(lines: AsyncIterable<string>): Promise<readonly Witness[]> {
  const witnesses: Witness[] = [];
  for await (const line of lines) {
    const witness = parseWitness(line);
    if (witness !== null) witnesses.push(witness);
  }
  if (witnesses.length > 0) return witnesses;
  throw new OperatorError(
    "no_witness",
    "No line of the log reports a chained day. A server writes one each day, unless TOCSIN_LOG_LEVEL is above info.",
  );
}

/**
 * Records an operator's action in the audit log. If the database is not writable or has no audit log yet, returns false
 * instead of throwing, because the action itself has already succeeded.
 */
export async function recordOperation(
  location: DatabaseLocation,
  operation: OperatorAction,
): Promise<boolean> {
  const database = openForLongRead(location);
  try {
    // A database without an audit log is also copied, and stays unchanged.
    if (!(await hasAuditLog(database).catch(() => false))) return false;
    await database.atomically([toOperationInsert(database, operation)]);
    return true;
  } catch (error) {
    if (database.engine.isUnavailable(error)) return false;
    throw error;
  } finally {
    await database.close();
  }
}

/** An action of an operator. */
export interface OperatorAction extends Pick<EventToRecord, "action" | "changes"> {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Returns the statement that records an operator's action. */
export function toOperationInsert(database: Database, { now, ...event }: OperatorAction) {
  return insertEventQuery(createOperatorContext(database, { now, log: SILENT_LOG }), {
    ...event,
    actor: OPERATOR,
    accountId: null,
  });
}

const SILENT_LOG = pino({ level: "silent" });

function toExportedEvent(event: RecordedEvent): ExportedEvent {
  const publicEvent = toEventResponse({ ...event, actor_name: null, account_name: null });
  const { accountName: _name, actor, ...exportedFields } = publicEvent;
  const { accountName: _actorName, ...exportedActor } = actor;
  return { ...exportedFields, actor: exportedActor };
}

/** Opens the database with long timeouts, because a long log is read completely. */
function openForLongRead(location: DatabaseLocation): Database {
  return openWithLongTimeouts(location);
}

async function withAuditLog<T>(
  location: DatabaseLocation,
  run: (database: Database) => Promise<T>,
): Promise<T> {
  await requireDatabase(location);
  const database = openForLongRead(location);
  try {
    if (await hasAuditLog(database)) return await run(database);
  } catch (error) {
    const reason = location.kind === "postgres" ? explainPostgresFailure(error, location) : null;
    throw reason === null ? error : new OperatorError("database", reason, error);
  } finally {
    await database.close();
  }
  const message = `${formatDatabaseLocation(location)} has no audit log yet. Run tocsin migrate, or start a server on it.`;
  throw new OperatorError("database", message);
}

async function hasAuditLog({ db }: Database): Promise<boolean> {
  return (await listAppliedMigrations(db)).includes(auditLog.name);
}
