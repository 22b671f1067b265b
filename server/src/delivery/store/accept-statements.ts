import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { insertByTableQueries, insertRowsQuery, type NewRow } from "#database/insert-rows.ts";
import type { Work } from "../delivery.ts";
import type { AcceptRequest, AcceptResult, Idempotency } from "./delivery-store.ts";
import {
  createKeyLookups,
  readStoredKeys,
  toJobRow,
  IDEMPOTENCY_TTL_MS,
  planRequest,
  withLookupIfInDoubt,
  toResult,
  type PlannedRequest,
} from "./accept-plan.ts";
import { toNotificationRow } from "./rows.ts";

/**
 * Returns an `accept` that commits a batch as a list of statements, for PostgreSQL. It only inserts rows, except that
 * it also deletes expired idempotency keys.
 */
export function createStatementAccept(context: Context, owner: string) {
  return async (batch: readonly AcceptRequest[]): Promise<readonly AcceptResult[]> => {
    const planned = batch.map((request) => planRequest(context, request, owner));
    const statements = planned
      .toSorted(compareByKey)
      .flatMap((item) => createKeyStatements(context, item));
    const lookups = createKeyLookups(context, planned);
    const queries = lookups.map(({ query }) => query);
    const results = await withLookupIfInDoubt(context, planned, () =>
      context.database.atomically([
        ...statements,
        ...queries,
        ...createPlainInserts(context, planned),
      ]),
    );
    const storedKeys = readStoredKeys(lookups, results.slice(statements.length));
    return planned.map((item) => toResult(item, storedKeys));
  };
}

/** Returns the statements that store only this request; none without an idempotency key. */
function createKeyStatements(context: Context, planned: PlannedRequest): readonly Compilable[] {
  const { request } = planned;
  const { idempotency } = request;
  if (idempotency === null) return [];
  return [
    ...createStoreKeyStatements(context, request, idempotency),
    ...createConditionalInserts(context, planned, idempotency),
  ];
}

/** Orders requests by key. All nodes lock keys in the same order, so that they cannot deadlock. */
function compareByKey({ request: a }: PlannedRequest, { request: b }: PlannedRequest): number {
  const [first, second] = [getSortKey(a), getSortKey(b)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function getSortKey({ idempotency }: AcceptRequest): string {
  return idempotency === null ? "" : `${idempotency.keyId} ${idempotency.keyHash}`;
}

/** Stores the key for this notification, unless it was used in the last 24 hours. */
function createStoreKeyStatements(
  context: Context,
  request: AcceptRequest,
  key: Idempotency,
): readonly Compilable[] {
  const { db } = context.database;
  const at = context.now();
  const { keyId, laterKeyId, keyHash: key_hash, contentHash: content_hash } = key;
  const keyRow = { key_hash, content_hash, notification_id: request.notification.id };
  return [
    db
      .deleteFrom("idempotency")
      .where("key_id", "in", laterKeyId === undefined ? [keyId] : [keyId, laterKeyId])
      .where("key_hash", "=", key_hash)
      .where("created_at", "<=", at - IDEMPOTENCY_TTL_MS),
    laterKeyId === undefined
      ? db
          .insertInto("idempotency")
          .values({ key_id: keyId, ...keyRow, created_at: at })
          .onConflict((conflict) => conflict.columns(["key_id", "key_hash"]).doNothing())
      : createTwoKeyStatement(context, {
          keyIds: [keyId, laterKeyId],
          ...keyRow,
          created_at: at,
        }),
  ];
}

/**
 * Stores the idempotency key for two API keys: the first of a rotation chain and the later key that sends. If it is
 * already stored for one of them, copies that row to the other. Nodes of a version before 0030 know only the later key,
 * so both versions replay each other's results. The first API key is always locked first, so that nodes cannot
 * deadlock.
 */
function createTwoKeyStatement(
  { database: { db } }: Context,
  keyRow: {
    readonly keyIds: readonly [string, string];
    readonly key_hash: string;
    readonly content_hash: string;
    readonly notification_id: string;
    readonly created_at: number;
  },
): Compilable {
  const [first, later] = keyRow.keyIds.map(castValue);
  const hash = castValue(keyRow.key_hash);
  const ownValues = [keyRow.content_hash, keyRow.notification_id, keyRow.created_at].map(castValue);
  const statement = sql`
    insert into idempotency (key_id, key_hash, content_hash, notification_id, created_at)
    select taken.key_id, ${hash}, known.content_hash, known.notification_id, known.created_at
    from (select ${first} as key_id, 0 as place union all select ${later}, 1) taken,
      (select * from (
        select content_hash, notification_id, created_at, 0 as is_new from idempotency
        where key_id in (${first}, ${later}) and key_hash = ${hash}
        union all select ${sql.join(ownValues)}, 1) found
      order by is_new, created_at limit 1) known
    order by taken.place
    on conflict (key_id, key_hash) do nothing`;
  return { compile: () => statement.compile(db) };
}

/** Inserts a notification and its other rows only if the key is stored for exactly this notification. */
function createConditionalInserts(
  { database: { db } }: Context,
  planned: PlannedRequest,
  key: Idempotency,
): readonly Compilable[] {
  const { notification, extraRows = [] } = planned.request;
  const isStoredForThis = sql<boolean>`exists (
    select 1 from idempotency
    where key_id = ${key.keyId} and key_hash = ${key.keyHash}
      and notification_id = ${notification.id})`;
  const insert = ({ table, row }: NewRow): Compilable => {
    const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
    const values = sql.join(Object.values(row).map(castValue));
    const statement = sql`insert into ${sql.table(table)} (${columns}) select ${values} where ${isStoredForThis}`;
    return { compile: () => statement.compile(db) };
  };
  const rows: readonly NewRow[] = [
    { table: "notification", row: toNotificationRow(notification) },
    ...extraRows,
    ...toJobRows(planned).map((row) => ({ table: "send_job" as const, row })),
  ];
  return rows.map(insert);
}

/** Casts a value, because a bare placeholder in a select list has no type on PostgreSQL. */
function castValue(value: unknown) {
  return typeof value === "number" ? sql`cast(${value} as bigint)` : sql`cast(${value} as text)`;
}

/** Inserts all requests without an idempotency key, one statement for each table. */
function createPlainInserts(
  { database: { db } }: Context,
  planned: readonly PlannedRequest[],
): Compilable[] {
  const plain = planned.filter(({ request }) => request.idempotency === null);
  if (plain.length === 0) return [];
  const notifications = plain.map(({ request }) => toNotificationRow(request.notification));
  const extraRows = plain.flatMap(({ request }) => request.extraRows ?? []);
  const jobs = plain.flatMap(toJobRows);
  return [
    insertRowsQuery(db, "notification", notifications),
    ...insertByTableQueries(db, extraRows),
    ...(jobs.length === 0 ? [] : [insertRowsQuery(db, "send_job", jobs)]),
  ];
}

/** Returns the row of the job; none if there is no work. */
function toJobRows(planned: PlannedRequest) {
  const { work } = planned.request;
  return work === null ? [] : [toJobRow(planned, requireDevices(work))];
}

/** Returns the work. Throws if its devices have not been read yet: statements cannot read them. */
function requireDevices(work: NonNullable<AcceptRequest["work"]>): Work {
  if (work.kind === "audience")
    throw new Error("Read the devices first: `readsAudiences` is false.");
  return work;
}
