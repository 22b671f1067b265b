import { createHash, randomBytes } from "node:crypto";
import type { AuditAction } from "@tocsin/sdk";
import { sql, type Insertable, type Kysely, type RawBuilder, type Selectable } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { toMinId, parseIdTime } from "#ids.ts";
import type { AuditEvent } from "./event.ts";

/** A recorded event. */
export type RecordedEvent = Selectable<Schema["audit_event"]>;

/** An event with the current names of its accounts. */
export interface ListedEvent extends RecordedEvent {
  readonly actor_name: string | null;
  readonly account_name: string | null;
}

/** Returns the query that records an event, for the transaction of the change. */
export function insertEventQuery(context: Context, event: AuditEvent): Compilable {
  return context.database.db.insertInto("audit_event").values(toRow(context, event));
}

/** Returns the query that records an event if a condition is true, for a transaction that does not read first. */
export function insertEventWhereQuery(
  context: Context,
  event: AuditEvent,
  condition: RawBuilder<boolean>,
): Compilable {
  const row = toRow(context, event);
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
  // PostgreSQL cannot infer the type of every placeholder in a select list, so each has a cast.
  const values = Object.values(row).map((value) =>
    typeof value === "number" ? sql`cast(${value} as bigint)` : sql`cast(${value} as text)`,
  );
  const statement = sql`insert into audit_event (${columns}) select ${sql.join(values)} where ${condition}`;
  return { compile: () => statement.compile(context.database.db) };
}

function toRow({ newId }: Context, event: AuditEvent): Insertable<Schema["audit_event"]> {
  const { actor, changes = [] } = event;
  const id = newId();
  return {
    id,
    // Derived from the id, because queries by time compare ids and must find this event.
    created_at: parseIdTime(id),
    action: event.action,
    actor_kind: actor.kind,
    actor_account_id: actor.accountId,
    actor_credential_id: actor.credentialId,
    account_id: event.accountId,
    team_id: event.teamId ?? null,
    subject_id: event.subjectId ?? null,
    changes: JSON.stringify(changes.map(({ name, before, after }) => ({ name, before, after }))),
    user_agent: actor.userAgent,
    ...toIpAddressColumns(actor.address),
  };
}

/** Records an event in the transaction `db`. */
export async function recordEvent(
  db: Kysely<Schema>,
  context: Context,
  event: AuditEvent,
): Promise<void> {
  await db.executeQuery(insertEventQuery(context, event).compile());
}

/**
 * Runs a change in its own transaction, and records the event that `toEvent` returns for the result in the same
 * commit. Records nothing if the change returns `undefined`.
 */
export async function runAndRecord<Result>(
  context: Context,
  change: (db: Kysely<Schema>) => Promise<Result | undefined>,
  toEvent: (result: Result) => AuditEvent,
): Promise<Result | undefined> {
  return context.database.transaction(async (db) => {
    const result = await change(db);
    if (result !== undefined) await recordEvent(db, context, toEvent(result));
    return result;
  });
}

/** Selects events. All times are milliseconds since the epoch. */
export interface EventFilter {
  /** Selects events that this account caused or was affected by; null selects all events. */
  readonly accountId: string | null;
  readonly action: AuditAction | null;
  readonly since: number | null;
  /** Exclusive. */
  readonly until: number | null;
  readonly after: string | null;
  readonly limit: number;
}

/** Returns up to `limit` events, newest first, after the id `after`. */
export async function listEvents(
  { database: { db } }: Context,
  filter: EventFilter,
): Promise<readonly ListedEvent[]> {
  const { accountId, limit } = filter;
  let query = selectFiltered(db, filter)
    .leftJoin("account as actor", "actor.id", "audit_event.actor_account_id")
    .leftJoin("account", "account.id", "audit_event.account_id")
    .select(EVENT_COLUMNS.map((column) => `audit_event.${column}` as const))
    .select(["actor.name as actor_name", "account.name as account_name"])
    .orderBy("audit_event.id", "desc")
    .limit(limit);
  if (accountId !== null) {
    // Each side uses its own index. An `or` of both would read and sort all events of an account for every page.
    const selectIds = (column: "account_id" | "actor_account_id") =>
      selectFiltered(db, filter)
        .select("audit_event.id")
        .where(column, "=", accountId)
        .orderBy("audit_event.id", "desc")
        .limit(limit);
    const ids = db
      .selectFrom(selectIds("account_id").as("done_to"))
      .select("id")
      .union(db.selectFrom(selectIds("actor_account_id").as("done_by")).select("id"));
    query = query.where("audit_event.id", "in", ids);
  }
  return query.execute();
}

function selectFiltered(db: Kysely<Schema>, { action, since, until, after }: EventFilter) {
  let query = db.selectFrom("audit_event");
  if (action !== null) query = query.where("audit_event.action", "=", action);
  if (since !== null) query = query.where("audit_event.id", ">=", toMinId(since));
  if (until !== null) query = query.where("audit_event.id", "<", toMinId(until));
  if (after !== null) query = query.where("audit_event.id", "<", after);
  return query;
}

/** The columns of an audit event. */
export const EVENT_COLUMNS = [
  "id",
  "created_at",
  "action",
  "actor_kind",
  "actor_account_id",
  "actor_credential_id",
  "account_id",
  "team_id",
  "subject_id",
  "changes",
  "user_agent",
  "address",
  "address_salt",
  "address_hash",
] as const;

/**
 * Returns the hash that remains when an IP address is erased. Its salt is erased too, so the address cannot be found by
 * trying all addresses.
 */
export function hashIpAddress(address: string, salt: string): string {
  return createHash("sha256").update(`${salt} ${address}`).digest("hex");
}

const SALT_BYTES = 16;

function toIpAddressColumns(address: string | null) {
  if (address === null) return { address: null, address_salt: null, address_hash: null };
  const salt = randomBytes(SALT_BYTES).toString("hex");
  return { address, address_salt: salt, address_hash: hashIpAddress(address, salt) };
}
