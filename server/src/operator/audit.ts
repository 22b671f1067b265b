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

/** An event as operators export it: without the current names of accounts. */
export type ExportedEvent = Omit<AuditEvent, "accountName" | "actor"> & {
  readonly actor: Omit<AuditEvent["actor"], "accountName">;
};

/** The result of verifying the whole audit log; days as `2026-01-31`. */
export interface AuditReport {
  readonly sealedDays: number;
  readonly events: number;
  readonly last: { readonly day: string; readonly digest: string } | null;
  /** The last day whose digest stands in the log lines as it is in the database. */
  readonly witnessedUntil: string | null;
  readonly faults: readonly { readonly day: string; readonly fault: DayFault }[];
}

/**
 * Calls back with the events from one moment up to but not including another, oldest first; servers may run meanwhile.
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
  await onAuditLog(config.database, async (database) => {
    for await (const event of eventsBetween({ database }, range)) range.onEvent(exported(event));
  });
}

/**
 * Computes the chain of the audit log again, and compares it with lines that servers logged, where they are given; servers may run
 * meanwhile. Throws `OperatorError`.
 */
export async function verifyAudit(
  { config, now }: AuditDeps,
  logLines: AsyncIterable<string> | null,
): Promise<AuditReport> {
  const witnesses = logLines === null ? [] : await witnessesIn(logLines);
  return onAuditLog(config.database, async (database) => {
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

async function witnessesIn(lines: AsyncIterable<string>): Promise<readonly Witness[]> {
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
 * Records an operator's action; false if the database cannot be written now, or has no audit log yet, which does not
 * undo the action.
 */
export async function recordOperation(
  place: DatabasePlace,
  operation: OperatorAction,
): Promise<boolean> {
  const database = open(place);
  try {
    // Any other file was copied unchanged.
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

/** Returns the query that records an operator's action. */
export function operationInsert(database: Database, { now, ...done }: OperatorAction) {
  return auditInsert(contextOf(database, { now, log: SILENT }), {
    ...done,
    actor: OPERATOR,
    accountId: null,
  });
}

const SILENT = pino({ level: "silent" });

function exported(event: RecordedEvent): ExportedEvent {
  const answer = eventAnswer({ ...event, actor_name: null, account_name: null });
  const { accountName: _name, actor, ...rest } = answer;
  const { accountName: _actorName, ...who } = actor;
  return { ...rest, actor: who };
}

/** With long timeouts, because all of a long log is read. */
function open(place: DatabasePlace): Database {
  return openPatiently(place, SILENT);
}

async function onAuditLog<T>(
  place: DatabasePlace,
  run: (database: Database) => Promise<T>,
): Promise<T> {
  await requireDatabase(place);
  const database = open(place);
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
