import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { InDoubtError, type Look } from "#database/in-doubt-error.ts";
import { insertByTable, insertRows, type NewRow } from "#database/insert-rows.ts";
import type { LeasedJob } from "../delivery.ts";
import type { AcceptRequest, AcceptResult, Idempotency } from "./delivery-store.ts";
import { LEASE_MS } from "../lease.ts";
import { notificationRow, workColumns } from "./rows.ts";
import { AcceptInDoubtError } from "../accept/accept-in-doubt.ts";

/** Time for which an idempotency key is remembered. */
const REMEMBER_MS = 24 * 60 * 60 * 1_000;

/** Returns the store's `accept`, which commits a batch in one transaction. It only appends rows, except to the idempotency keys. */
export function createAccept(context: Context, owner: string) {
  return async (batch: readonly AcceptRequest[]): Promise<readonly AcceptResult[]> => {
    const planned = batch.map((request) => plan(context, request, owner));
    const queries = planned.toSorted(byKey).flatMap(({ queries }) => queries);
    const results = await orInDoubt(context, planned, () =>
      context.database.atomically([...queries, ...plainInserts(context, planned)]),
    );
    const lookups = new Map(queries.map((query, index) => [query, results[index]?.rows ?? []]));
    return planned.map((item) => toResult(item, lookups));
  };
}

/** Turns the error of a commit in doubt into one with a function that looks up what was stored. */
async function orInDoubt<T>(
  context: Context,
  planned: readonly Planned[],
  commit: () => Promise<T>,
): Promise<T> {
  try {
    return await commit();
  } catch (error) {
    if (!(error instanceof InDoubtError)) throw error;
    throw new AcceptInDoubtError(error, () => findStored(context, planned, error.makeCertain));
  }
}

/** Returns the result of each request of a batch; null if the request is not stored and never will be. */
async function findStored(
  { database: { db } }: Context,
  planned: readonly Planned[],
  query: Look,
): Promise<ReadonlyMap<AcceptRequest, AcceptResult | null>> {
  const ids = planned.map(({ request }) => request.notification.id);
  const jobIds = planned.map(({ jobId }) => jobId);
  const lookups = planned.flatMap(({ lookup }) => lookup ?? []);
  const [notifications, jobs, ...keys] = await query([
    db.selectFrom("notification").select("id").where("id", "in", ids),
    // If another node considers this one dead, it has taken over the leases.
    db
      .selectFrom("send_job")
      .select("id")
      .where("id", "in", jobIds)
      .where("epoch", "=", FIRST_EPOCH)
      .where("owner", "<>", ""),
    ...lookups,
  ]);
  const stored = idsIn(notifications);
  const leases = idsIn(jobs);
  const storedKeys = new Map(lookups.map((lookup, index) => [lookup, keys[index]?.rows ?? []]));
  return new Map(
    planned.map((item) => {
      const { request, lookup, jobId } = item;
      const isStored = stored.has(request.notification.id);
      if (!isStored && isFree(lookup, storedKeys)) return [request, null];
      const result = toResult(item, storedKeys);
      const isTakenOver = result.kind === "accepted" && !leases.has(jobId);
      return [request, isTakenOver ? { kind: "accepted", job: null } : result];
    }),
  );
}

/** Returns whether the idempotency key is unused. True for a request without a key. */
function isFree(lookup: Compilable | null, lookups: Lookups): boolean {
  return lookup === null || (lookups.get(lookup) ?? []).length === 0;
}

function idsIn(result: { readonly rows: readonly unknown[] } | undefined): ReadonlySet<string> {
  // The queries select `id`.
  const rows = (result?.rows ?? []) as readonly { readonly id: string }[];
  return new Set(rows.map(({ id }) => id));
}

/** The epoch of a job before its first claim. */
const FIRST_EPOCH = 1;

interface Planned {
  readonly request: AcceptRequest;
  readonly jobId: string;
  readonly runAt: number;
  readonly owner: string;
  /** Statements for only this request; empty without an idempotency key. */
  readonly queries: readonly Compilable[];
  readonly lookup: Compilable | null;
}

function plan(context: Context, request: AcceptRequest, owner: string): Planned {
  const { takeLease, idempotency } = request;
  const at = context.now();
  const runAt = takeLease ? at + LEASE_MS : at;
  const planned = { request, jobId: context.newId(), runAt, owner: takeLease ? owner : "" };
  if (idempotency === null) return { ...planned, queries: [], lookup: null };
  const lookup = selectKey(context, idempotency);
  const queries = [
    ...storeKey(context, request, idempotency),
    ...conditionalInserts(context, planned, idempotency),
    lookup,
  ];
  return { ...planned, queries, lookup };
}

/** Orders requests by key. All nodes lock keys in the same order, so that they cannot deadlock. */
function byKey({ request: a }: Planned, { request: b }: Planned): number {
  const [first, second] = [sortKeyOf(a), sortKeyOf(b)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function sortKeyOf({ idempotency }: AcceptRequest): string {
  return idempotency === null ? "" : `${idempotency.keyId} ${idempotency.keyHash}`;
}

/** Stores the key for this notification, unless it was used in the last 24 hours. */
function storeKey(
  context: Context,
  request: AcceptRequest,
  key: Idempotency,
): readonly Compilable[] {
  const { db } = context.database;
  const at = context.now();
  const { keyId, laterKeyId, keyHash: key_hash, contentHash: content_hash } = key;
  const memory = { key_hash, content_hash, notification_id: request.notification.id };
  return [
    db
      .deleteFrom("idempotency")
      .where("key_id", "in", laterKeyId === undefined ? [keyId] : [keyId, laterKeyId])
      .where("key_hash", "=", key_hash)
      .where("created_at", "<=", at - REMEMBER_MS),
    laterKeyId === undefined
      ? db
          .insertInto("idempotency")
          .values({ key_id: keyId, ...memory, created_at: at })
          .onConflict((conflict) => conflict.columns(["key_id", "key_hash"]).doNothing())
      : storeKeyForBoth(context, { keyIds: [keyId, laterKeyId], ...memory, created_at: at }),
  ];
}

/**
 * Stores the idempotency key for two API keys: the first of a rotation chain and the later one that sends. If it is already
 * stored for one of them, copies that row to the other. Nodes of a version before 0030 know only the later one, so both
 * versions replay each other's results. The first API key is always locked first, so that nodes cannot deadlock.
 */
function storeKeyForBoth(
  { database: { db } }: Context,
  memory: {
    readonly keyIds: readonly [string, string];
    readonly key_hash: string;
    readonly content_hash: string;
    readonly notification_id: string;
    readonly created_at: number;
  },
): Compilable {
  const [first, later] = memory.keyIds.map(typed);
  const hash = typed(memory.key_hash);
  const ownValues = [memory.content_hash, memory.notification_id, memory.created_at].map(typed);
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
function conditionalInserts(
  { database: { db } }: Context,
  planned: Omit<Planned, "queries" | "lookup">,
  key: Idempotency,
): readonly Compilable[] {
  const { notification, alongside = [] } = planned.request;
  const isStoredForThis = sql<boolean>`exists (
    select 1 from idempotency
    where key_id = ${key.keyId} and key_hash = ${key.keyHash}
      and notification_id = ${notification.id})`;
  const insert = ({ table, row }: NewRow): Compilable => {
    const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
    const values = sql.join(Object.values(row).map(typed));
    const statement = sql`insert into ${sql.table(table)} (${columns}) select ${values} where ${isStoredForThis}`;
    return { compile: () => statement.compile(db) };
  };
  const rows: readonly NewRow[] = [
    { table: "notification", row: notificationRow(notification) },
    ...alongside,
    { table: "send_job", row: jobRow(planned) },
  ];
  return rows.map(insert);
}

/** Casts a value, because a bare placeholder in a select list has no type on PostgreSQL. */
function typed(value: unknown) {
  return typeof value === "number" ? sql`cast(${value} as bigint)` : sql`cast(${value} as text)`;
}

function selectKey({ database: { db } }: Context, key: Idempotency): Compilable {
  return db
    .selectFrom("idempotency")
    .select(["notification_id", "content_hash"])
    .where("key_id", "=", key.keyId)
    .where("key_hash", "=", key.keyHash);
}

/** Inserts all requests without an idempotency key, one statement for each table. */
function plainInserts({ database: { db } }: Context, planned: readonly Planned[]): Compilable[] {
  const plain = planned.filter(({ lookup }) => lookup === null);
  if (plain.length === 0) return [];
  const notifications = plain.map(({ request }) => notificationRow(request.notification));
  const alongside = plain.flatMap(({ request }) => request.alongside ?? []);
  return [
    insertRows(db, "notification", notifications),
    ...insertByTable(db, alongside),
    insertRows(db, "send_job", plain.map(jobRow)),
  ];
}

function jobRow({ request, jobId, runAt, owner }: Omit<Planned, "queries" | "lookup">) {
  return {
    id: jobId,
    notification_id: request.notification.id,
    lane: request.lane,
    ...workColumns(request.work),
    run_at: runAt,
    epoch: FIRST_EPOCH,
    crashes: 0,
    owner,
    expires_at: request.notification.expiresAt,
  };
}

type Lookups = ReadonlyMap<Compilable, readonly unknown[]>;

function toResult(planned: Planned, lookups: Lookups): AcceptResult {
  const { request, lookup } = planned;
  if (lookup === null) return { kind: "accepted", job: toLeasedJob(planned) };
  // The columns that `selectKey` selects.
  const [row] = (lookups.get(lookup) ?? []) as readonly {
    notification_id: string;
    content_hash: string;
  }[];
  if (row?.notification_id === request.notification.id) {
    return { kind: "accepted", job: toLeasedJob(planned) };
  }
  if (row !== undefined && row.content_hash === request.idempotency?.contentHash) {
    return { kind: "replayed", notificationId: row.notification_id };
  }
  return { kind: "mismatch" };
}

function toLeasedJob({ request, jobId, runAt }: Planned): LeasedJob | null {
  if (!request.takeLease) return null;
  const { lane, notification, work } = request;
  const lease = { jobId, epoch: FIRST_EPOCH, until: runAt };
  return { lease, lane, notification, work, crashes: 0, suspect: null };
}
