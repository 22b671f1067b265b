import { sql, type Kysely, type QueryResult } from "kysely";
import type { Context } from "#context.ts";
import { castToBigint, castToText, compileOnce } from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import type { AcceptOutcome, PlannedRequest } from "./accept-plan.ts";
import type { AcceptRequest } from "./delivery-store.ts";

/** Time for which an idempotency key is remembered. */
export const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1_000;

/** The parts of a request that its idempotency key concerns. */
interface KeyedRequest {
  readonly request: Pick<AcceptRequest, "idempotency"> & {
    readonly notification: Pick<AcceptRequest["notification"], "id">;
  };
}

/** Orders requests by key. All nodes lock keys in the same order, so that they cannot deadlock. */
export function compareByKey(
  { request: a }: PlannedRequest,
  { request: b }: PlannedRequest,
): number {
  const keyOfA = getSortKey(a);
  const keyOfB = getSortKey(b);
  if (keyOfA === keyOfB) return 0;
  return keyOfA < keyOfB ? -1 : 1;
}

function getSortKey({ idempotency }: AcceptRequest): string {
  return idempotency === null ? "" : `${idempotency.keyId} ${idempotency.keyHash}`;
}

/**
 * Returns the queries that store the idempotency key of a request for its notification, unless the key was used in the
 * last 24 hours; none without a key.
 */
export function storeKeyQueries(
  { database: { db }, now }: Context,
  { request: { notification, idempotency } }: KeyedRequest,
): readonly Compilable[] {
  if (idempotency === null) return [];
  const at = now();
  const { keyId, laterKeyId = keyId, keyHash, contentHash } = idempotency;
  const row = { keyId, laterKeyId, keyHash, contentHash, notificationId: notification.id, at };
  return [
    deleteExpiredKey(db, { keyId, laterKeyId, keyHash, expiredUpTo: at - IDEMPOTENCY_TTL_MS }),
    laterKeyId === keyId ? insertKey(db, row) : insertTwoKeys(db, row),
  ];
}

/**
 * Returns the query that deletes the key of a request if nothing was stored; none if the request has no key, or if
 * the request names its devices.
 */
export function deleteUnusedKeyQueries(
  { database: { db } }: Context,
  { request: { notification, work, idempotency } }: PlannedRequest,
): readonly Compilable[] {
  if (idempotency === null || work?.kind !== "audience") return [];
  const { keyId, laterKeyId = keyId, keyHash } = idempotency;
  return [deleteUnusedKey(db, { keyId, laterKeyId, keyHash, notificationId: notification.id })];
}

/** The query that reads the stored idempotency key of a request. */
interface KeyLookup {
  readonly planned: PlannedRequest;
  readonly query: Compilable;
}

/** Returns the lookups of all requests with an idempotency key, in their order. */
export function createKeyLookups(
  { database: { db } }: Context,
  batch: readonly PlannedRequest[],
): readonly KeyLookup[] {
  return batch.flatMap((planned) => {
    const { idempotency } = planned.request;
    if (idempotency === null) return [];
    const { keyId, keyHash } = idempotency;
    return [{ planned, query: selectKey(db, { keyId, keyHash }) }];
  });
}

/** A row that `selectKey` reads. */
interface StoredKey {
  readonly notification_id: string;
  readonly content_hash: string;
}

/** The stored idempotency keys of requests. */
type StoredKeys = ReadonlyMap<PlannedRequest, StoredKey | undefined>;

/** Returns the stored keys, from the results of the lookups in the same order. */
export function readStoredKeys(
  lookups: readonly KeyLookup[],
  results: readonly QueryResult<unknown>[],
): StoredKeys {
  return new Map(
    lookups.map(({ planned }, index) => {
      // The columns that `selectKey` selects.
      const [row] = (results[index]?.rows ?? []) as readonly StoredKey[];
      return [planned, row];
    }),
  );
}

/** Returns the outcome of a request, from its stored idempotency key. */
export function getKeyOutcome(
  { request }: PlannedRequest,
  storedKey: StoredKey | undefined,
): AcceptOutcome {
  if (request.idempotency === null) return "accepted";
  if (storedKey?.notification_id === request.notification.id) return "accepted";
  if (storedKey?.content_hash !== request.idempotency.contentHash) return "mismatch";
  return ["replayed", storedKey.notification_id];
}

/** An idempotency key, with the first API key of a rotation chain and the later one that sends. */
type ChainKey = {
  readonly keyId: string;
  /** The same as `keyId` if the first API key sends. */
  readonly laterKeyId: string;
  readonly keyHash: string;
};

type NewKey = ChainKey & {
  readonly contentHash: string;
  readonly notificationId: string;
  readonly at: number;
};

const deleteExpiredKey = compileOnce<ChainKey & { readonly expiredUpTo: number }>((db, key) =>
  deleteKey(db, key).where("created_at", "<=", key.expiredUpTo),
);

const deleteUnusedKey = compileOnce<ChainKey & { readonly notificationId: string }>((db, key) =>
  deleteKey(db, key)
    .where("notification_id", "=", key.notificationId)
    .where((eb) => {
      const { notificationId } = key;
      return eb.not(
        eb.exists(eb.selectFrom("notification").select("id").where("id", "=", notificationId)),
      );
    }),
);

function deleteKey(db: Kysely<Schema>, { keyId, laterKeyId, keyHash }: ChainKey) {
  return db
    .deleteFrom("idempotency")
    .where("key_id", "in", [keyId, laterKeyId])
    .where("key_hash", "=", keyHash);
}

const insertKey = compileOnce<NewKey>((db, row) =>
  db
    .insertInto("idempotency")
    .values({
      key_id: row.keyId,
      key_hash: row.keyHash,
      content_hash: row.contentHash,
      notification_id: row.notificationId,
      created_at: row.at,
    })
    .onConflict((conflict) => conflict.columns(["key_id", "key_hash"]).doNothing()),
);

/**
 * Stores the idempotency key for two API keys: the first of a rotation chain and the later key that sends. If the
 * idempotency key is already stored for one of the two, copies that row to the other. Nodes of a version before
 * migration 0030 read only the row of the later key, so with both rows, old and new nodes replay each other's results.
 * The first API key is always locked first, so that nodes cannot deadlock.
 */
const insertTwoKeys = compileOnce<NewKey>((db, row) => {
  const first = castToText(row.keyId);
  const later = castToText(row.laterKeyId);
  const hash = castToText(row.keyHash);
  const contentHash = castToText(row.contentHash);
  const notificationId = castToText(row.notificationId);
  const query = sql`
    insert into idempotency (key_id, key_hash, content_hash, notification_id, created_at)
    select taken.key_id, ${hash}, known.content_hash, known.notification_id, known.created_at
    from (select ${first} as key_id, 0 as place union all select ${later}, 1) taken,
      (select content_hash, notification_id, created_at from (
        select content_hash, notification_id, created_at, 0 as is_new from idempotency
        where key_id in (${first}, ${later}) and key_hash = ${hash}
        union all select ${contentHash}, ${notificationId}, ${castToBigint(row.at)}, 1) found
      order by is_new, created_at limit 1) known
    order by taken.place
    on conflict (key_id, key_hash) do nothing`;
  return { compile: () => query.compile(db) };
});

const selectKey = compileOnce<{ readonly keyId: string; readonly keyHash: string }>((db, key) =>
  db
    .selectFrom("idempotency")
    .select(["notification_id", "content_hash"])
    .where("key_id", "=", key.keyId)
    .where("key_hash", "=", key.keyHash),
);
