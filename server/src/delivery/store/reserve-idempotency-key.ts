import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Condition } from "#database/insert-under.ts";
import { IDEMPOTENCY_TTL_MS, storeKeyQueries } from "./idempotency-keys.ts";
import type { IdempotencyRecord } from "./delivery-store.ts";

/** The reservation of an idempotency key in another room's transaction. */
export interface KeyReservation {
  readonly statements: readonly Compilable[];
  /** Holds if the key is stored for exactly this notification. */
  readonly condition: Condition;
  /** Returns the statement that deletes the key unless a condition holds. Then nothing was stored for the key. */
  readonly releaseUnless: (condition: Condition) => Compilable;
}

/** An idempotency key, and the id of the notification that it stands for. That notification may not exist. */
export interface ReservedKey {
  readonly idempotency: IdempotencyRecord;
  readonly notificationId: string;
}

/** Returns the reservation of an idempotency key. */
export function reserveKey(
  context: Context,
  { idempotency, notificationId }: ReservedKey,
): KeyReservation {
  const { db } = context.database;
  const { keyId, laterKeyId = keyId, keyHash } = idempotency;
  const notification = { id: notificationId };
  return {
    statements: storeKeyQueries(context, { request: { notification, idempotency } }),
    condition: sql<boolean>`exists (select 1 from idempotency where key_id = ${keyId}
      and key_hash = ${keyHash} and notification_id = ${notificationId})`,
    releaseUnless: (condition) =>
      db
        .deleteFrom("idempotency")
        .where("key_id", "in", [keyId, laterKeyId])
        .where("key_hash", "=", keyHash)
        .where("notification_id", "=", notificationId)
        .where(sql<boolean>`not ${condition}`),
  };
}

/** The earlier use of an idempotency key: none, one with the same content, or one with other content. */
export type IdempotencyUse =
  | { readonly kind: "free" }
  | { readonly kind: "replayed"; readonly notificationId: string }
  | { readonly kind: "mismatch" };

/** Returns the use of an idempotency key in the last 24 hours. */
export async function findIdempotencyUse(
  { database: { db }, now }: Context,
  { keyId, keyHash, contentHash }: IdempotencyRecord,
): Promise<IdempotencyUse> {
  const row = await db
    .selectFrom("idempotency")
    .select(["notification_id", "content_hash"])
    .where("key_id", "=", keyId)
    .where("key_hash", "=", keyHash)
    .where("created_at", ">", now() - IDEMPOTENCY_TTL_MS)
    .executeTakeFirst();
  if (row === undefined) return { kind: "free" };
  if (row.content_hash !== contentHash) return { kind: "mismatch" };
  return { kind: "replayed", notificationId: row.notification_id };
}
