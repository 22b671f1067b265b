import { sql, type Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { AppClient, Proof } from "../app.ts";

/** A message to put into the mailbox of an app. Times are in milliseconds since the epoch. */
export interface Put {
  readonly deviceId: string;
  readonly notificationId: string;
  readonly channel: string;
  readonly expiresAt: number;
}

/** The result of a put. */
export type PutResult =
  /** The message is in the mailbox, now or since an earlier put. `proof` is null while the app is owed the message. */
  | {
      readonly kind: "put";
      readonly proof: Proof | null;
      readonly connection: AppPresence;
      /** The app's own topic if ntfy's app for iPhones has it, which keeps no connection; otherwise null. */
      readonly iphoneTopic: string | null;
    }
  /** The app listens to other channels. */
  | { readonly kind: "not_subscribed"; readonly channels: readonly string[] }
  /** The app was removed. */
  | { readonly kind: "removed" };

/** The connection of an app. Times are in milliseconds since the epoch. */
export interface AppPresence {
  /** The node that holds a stream of the app; null if none does. */
  readonly nodeId: string | null;
  /** When the app opened its latest stream; null if it never did. */
  readonly connectedAt: number | null;
  /** When the app's last stream ended, or the app last fetched without a stream; null if neither happened. */
  readonly disconnectedAt: number | null;
}

interface AppRow extends AppPresence {
  readonly id: string;
  readonly client: AppClient;
  readonly topic: string;
  readonly iphoneSince: number | null;
  readonly channels: string | null;
  lastNumber: number;
}

/**
 * Puts messages into mailboxes, each once, in one transaction. The rows of the apps are locked, so that numbers are
 * committed in their order: an app that has read up to a number misses nothing below it. Returns results in the order
 * of the messages.
 */
export async function putMessages(
  context: Context,
  batch: readonly Put[],
): Promise<readonly PutResult[]> {
  return context.database.transaction(async (db) => {
    const apps = await lockApps(context, db, batch);
    const existingProofs = await findExistingProofs(db, batch);
    const added = new Map<string, { readonly put: Put; readonly number: number }>();
    const increments = new Map<string, number>();
    const results = batch.map((put): PutResult => {
      const app = apps.get(put.deviceId);
      if (app === undefined) return { kind: "removed" };
      const key = toKey(put.deviceId, put.notificationId);
      const isKnown = existingProofs.has(key) || added.has(key);
      const channels = app.channels === null ? null : parseChannels(app.channels);
      if (!isKnown && channels !== null && !channels.includes(put.channel)) {
        return { kind: "not_subscribed", channels };
      }
      if (!isKnown) {
        app.lastNumber += 1;
        added.set(key, { put, number: app.lastNumber });
        increments.set(app.id, (increments.get(app.id) ?? 0) + 1);
      }
      const { nodeId, connectedAt, disconnectedAt } = app;
      const connection = { nodeId, connectedAt, disconnectedAt };
      const isForIphone = app.client === "ntfy" && app.iphoneSince !== null;
      const iphoneTopic = isForIphone ? app.topic : null;
      return { kind: "put", proof: existingProofs.get(key) ?? null, connection, iphoneTopic };
    });
    await insertMessages(context, db, [...added.values()]);
    await addToLastNumbers(db, increments);
    return results;
  });
}

/** Returns the channels of the column `channels`. */
export function parseChannels(text: string): readonly string[] {
  return JSON.parse(text) as readonly string[]; // Only this room writes the column.
}

async function lockApps(
  { database: { engine } }: Context,
  db: Kysely<Schema>,
  batch: readonly Put[],
): Promise<ReadonlyMap<string, AppRow>> {
  const ids = [...new Set(batch.map(({ deviceId }) => deviceId))];
  const query = db
    .selectFrom("connected_app")
    .select([
      "device_id as id",
      "client",
      "topic",
      "iphone_since as iphoneSince",
      "last_number as lastNumber",
      "channels",
      "node_id as nodeId",
      "connected_at as connectedAt",
      "disconnected_at as disconnectedAt",
    ])
    .where("device_id", "in", ids)
    .orderBy("device_id");
  const locked = engine.lockRows === null ? query : query.modifyEnd(engine.lockRows);
  const rows = await locked.execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the proofs of the messages that are in their mailboxes already; null for a message without a proof. */
async function findExistingProofs(
  db: Kysely<Schema>,
  batch: readonly Put[],
): Promise<ReadonlyMap<string, Proof | null>> {
  const rows = await db
    .selectFrom("mailbox")
    .select(["device_id", "notification_id", "how"])
    .where("notification_id", "in", [...new Set(batch.map((put) => put.notificationId))])
    .where("device_id", "in", [...new Set(batch.map((put) => put.deviceId))])
    .execute();
  return new Map(
    rows.map(({ device_id, notification_id, how }) => [toKey(device_id, notification_id), how]),
  );
}

async function insertMessages(
  { now }: Context,
  db: Kysely<Schema>,
  added: readonly { readonly put: Put; readonly number: number }[],
): Promise<void> {
  if (added.length === 0) return;
  const at = now();
  const rows = added.map(({ put, number }) => ({
    device_id: put.deviceId,
    number,
    notification_id: put.notificationId,
    expires_at: put.expiresAt,
    put_at: at,
    taken_at: null,
    how: null,
    removed_at: null,
  }));
  await db.insertInto("mailbox").values(rows).execute();
}

/** Uses one statement for all apps with the same number of new messages, usually one. */
async function addToLastNumbers(
  db: Kysely<Schema>,
  increments: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [increment, apps] of Map.groupBy(increments, ([, count]) => count)) {
    await db
      .updateTable("connected_app")
      .set({ last_number: sql<number>`last_number + ${increment}` })
      .where(
        "device_id",
        "in",
        apps.map(([deviceId]) => deviceId),
      )
      .execute();
  }
}

function toKey(deviceId: string, notificationId: string): string {
  return `${deviceId} ${notificationId}`;
}
