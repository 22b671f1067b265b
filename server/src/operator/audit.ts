import type { AuditEvent } from "@tocsin/sdk";
import { pino } from "pino";
import { eventAnswer } from "#audit/answer.ts";
import { eventsBetween } from "#audit/chain/store.ts";
import { verifyChain, type DayFault } from "#audit/chain/verify.ts";
import { parseWitness, type Witness } from "#audit/chain/witness.ts";
import { dayText } from "#audit/days.ts";
import { OPERATOR, type AuditEvent as NewEvent } from "#audit/event.ts";
import { auditInsert, type RecordedEvent } from "#audit/store.ts";
import type { Config } from "#config/config.ts";
import type { Database } from "#database/database.ts";
import { takenSteps } from "#database/migration.ts";
import { auditLog } from "#database/migrations/0021-audit-log.ts";
import { openPatiently, type DatabasePlace } from "#database/open.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { OperatorError } from "./operator-error.ts";
import { placeText } from "./place.ts";
import { requireDatabase } from "./require-database.ts";
import { contextOf } from "./with-context.ts";

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
  readonly sealedDays: number;
  readonly events: number;
  readonly last: { readonly day: string; readonly digest: string } | null;
  /** The last day whose digest in the database equals the one in the log lines. */
  readonly witnessedUntil: string | null;
  readonly faults: readonly { readonly day: string; readonly fault: DayFault }[];
}

/**
 * Calls `onEvent` for each event from `from` (inclusive) to `to` (exclusive), oldest first. Servers may run meanwhile.
 * Throws `OperatorError`.
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
    for await (const event of eventsBetween({ database }, range))
      range.onEvent(toExportedEvent(event));
  });
}

/**
 * Recomputes the chain of the audit log, and compares it with the digests in log lines, if there are any. Servers may
 * run meanwhile. Throws `OperatorError`.
 */
export async function verifyAudit(
  { config, now }: AuditDeps,
  logLines: AsyncIterable<string> | null,
): Promise<AuditReport> {
  const witnesses = logLines === null ? [] : await readWitnesses(logLines);
  return withAuditLog(config.database, async (database) => {
    const context = contextOf(database, { now, log: SILENT });
    const { faults, last, witnessedUntil, ...counts } = await verifyChain(context, witnesses);
    return {
      ...counts,
      last: last === null ? null : { day: dayText(last.day), digest: last.digest },
      witnessedUntil: witnessedUntil === null ? null : dayText(witnessedUntil),
      faults: faults.map(({ day, fault }) => ({ day: dayText(day), fault })),
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
    "No line of the log tells of a sealed day. A server writes one each day, unless TOCSIN_LOG_LEVEL is above info.",
  );
}

/**
 * Records an operator's action. Returns false if the database is not writable or has no audit log yet: neither undoes
 * the action.
 */
export async function recordOperation(
  place: DatabasePlace,
  operation: OperatorAction,
): Promise<boolean> {
  const database = openForReading(place);
  try {
    // A database without an audit log is also copied, and stays unchanged.
    if (!(await hasAuditLog(database).catch(() => false))) return false;
    await database.atomically([operationInsert(database, operation)]);
    return true;
  } catch (error) {
    if (database.engine.isUnavailable(error)) return false;
    throw error;
  } finally {
    await database.close();
  }
}

/** An action of an operator. */
export interface OperatorAction extends Pick<NewEvent, "action" | "changes"> {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Returns the insert that records an operator's action. */
export function operationInsert(database: Database, { now, ...event }: OperatorAction) {
  return auditInsert(contextOf(database, { now, log: SILENT }), {
    ...event,
    actor: OPERATOR,
    accountId: null,
  });
}

const SILENT = pino({ level: "silent" });

function toExportedEvent(event: RecordedEvent): ExportedEvent {
  const publicEvent = eventAnswer({ ...event, actor_name: null, account_name: null });
  const { accountName: _name, actor, ...rest } = publicEvent;
  const { accountName: _actorName, ...exportedActor } = actor;
  return { ...rest, actor: exportedActor };
}

/** Opens the database with long timeouts, because a long log is read completely. */
function openForReading(place: DatabasePlace): Database {
  return openPatiently(place, SILENT);
}

async function withAuditLog<T>(
  place: DatabasePlace,
  run: (database: Database) => Promise<T>,
): Promise<T> {
  await requireDatabase(place);
  const database = openForReading(place);
  try {
    if (await hasAuditLog(database)) return await run(database);
  } catch (error) {
    const reason = place.kind === "postgres" ? explainPostgresFailure(error, place) : null;
    throw reason === null ? error : new OperatorError("database", reason, error);
  } finally {
    await database.close();
  }
  const message = `${placeText(place)} has no audit log yet. Run tocsin migrate, or start a server on it.`;
  throw new OperatorError("database", message);
}

async function hasAuditLog({ db }: Database): Promise<boolean> {
  return (await takenSteps(db)).includes(auditLog.name);
}
