import { sql } from "kysely";
import type { Context, DatabaseContext } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { parseChannels } from "./put.ts";

/** A change of an app's connection to this node. */
export type PresenceChange =
  /** A stream was opened at `at`. `channels` are those of all its streams on this node; null for every channel. */
  | {
      readonly kind: "opened";
      readonly deviceId: string;
      readonly nodeId: string;
      readonly at: number;
      readonly channels: readonly string[] | null;
    }
  /** The last stream on this node has ended, which was opened at `openedAt` at the latest. */
  | {
      readonly kind: "ended";
      readonly deviceId: string;
      readonly nodeId: string;
      readonly openedAt: number;
    };

/** Records changes in one commit. Returns the number of each app's latest message; null if the app was removed. */
export async function recordPresence(
  context: Context,
  changes: readonly PresenceChange[],
): Promise<readonly (number | null)[]> {
  // One order of locks on all nodes.
  const ordered = changes
    .map((change, index) => ({ change, index }))
    .toSorted((a, b) => (a.change.deviceId < b.change.deviceId ? -1 : 1) || a.index - b.index);
  const results = await context.database.atomically(
    ordered.map(({ change }) => toPresenceQuery(context, change)),
  );
  const numbers: (number | null)[] = changes.map(() => null);
  for (const [position, { index }] of ordered.entries()) {
    // The column that the query returns.
    const [row] = (results[position]?.rows ?? []) as readonly { readonly lastNumber: number }[];
    numbers[index] = row?.lastNumber ?? null;
  }
  return numbers;
}

function toPresenceQuery({ database: { db }, now }: Context, change: PresenceChange): Compilable {
  const { deviceId, nodeId } = change;
  const update = db
    .updateTable("connected_app")
    .where("device_id", "=", deviceId)
    .returning("last_number as lastNumber");
  return change.kind === "opened"
    ? update.set({
        node_id: nodeId,
        connected_at: change.at,
        channels: change.channels === null ? null : JSON.stringify(change.channels),
      })
    : update
        .set({ node_id: null, disconnected_at: now() })
        .where("node_id", "=", nodeId)
        .where("connected_at", "<=", change.openedAt);
}

/**
 * Records that an app fetched from channels; null for every channel. They are added to those that it listens to. Returns the
 * number of its latest message; null if the app was removed.
 */
export async function recordFetch(
  { database, now }: Context,
  deviceId: string,
  channels: readonly string[] | null,
): Promise<number | null> {
  return database.transaction(async (db) => {
    const query = db
      .selectFrom("connected_app")
      .select(["channels", "last_number", "connected_at", "disconnected_at", "node_id"])
      .where("device_id", "=", deviceId);
    const { lockRows } = database.engine;
    const app = await (lockRows === null ? query : query.modifyEnd(lockRows)).executeTakeFirst();
    if (app === undefined) return null;
    const hasListened = app.connected_at !== null || app.disconnected_at !== null;
    const listened = hasListened ? addChannels(app.channels, channels) : channels;
    await db
      .updateTable("connected_app")
      .set({
        channels: listened === null ? null : JSON.stringify(listened),
        disconnected_at: app.node_id === null ? now() : app.disconnected_at,
      })
      .where("device_id", "=", deviceId)
      .execute();
    return app.last_number;
  });
}

function addChannels(
  stored: string | null,
  channels: readonly string[] | null,
): readonly string[] | null {
  if (stored === null || channels === null) return null;
  const isNew = new Set(channels);
  const others = parseChannels(stored).filter((channel) => !isNew.has(channel));
  return [...others, ...isNew].slice(-LISTENED_MAX);
}

/** Maximum number of channels that an app listens to by its requests, as many as one request may name. The latest count. */
const LISTENED_MAX = 500;

/** Returns how many other apps of an account have streams, on any node. */
export async function countStreamingDevices(
  { database: { db } }: DatabaseContext,
  { accountId, deviceId }: { readonly accountId: string; readonly deviceId: string },
): Promise<number> {
  const row = await db
    .selectFrom("connected_app")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("account_id", "=", accountId)
    .where("node_id", "is not", null)
    .where("device_id", "<>", deviceId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Records that nodes hold no streams any more; null for all nodes. */
export async function forgetNodes(
  { database: { db }, now }: Context,
  nodeIds: readonly string[] | null,
): Promise<void> {
  const update = db.updateTable("connected_app").set({ node_id: null, disconnected_at: now() });
  await (
    nodeIds === null
      ? update.where("node_id", "is not", null)
      : update.where("node_id", "in", nodeIds)
  ).execute();
}

/** Maximum number of apps that one look into the mailboxes finds. */
const RECENT_MAX = 10_000;

/** Returns the apps that are owed messages which were put at or after a time. */
export async function listRecentlyPut(
  { database: { db } }: DatabaseContext,
  since: number,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("mailbox")
    .select("device_id")
    .distinct()
    .where("taken_at", "is", null)
    .where("put_at", ">=", since)
    .limit(RECENT_MAX)
    .execute();
  return rows.map(({ device_id }) => device_id);
}

/** Returns how many unexpired messages apps are owed. */
export async function countOwed({ database: { db }, now }: Context): Promise<number> {
  const row = await db
    .selectFrom("mailbox")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("taken_at", "is", null)
    .where(sql<number>`expires_at`, ">", now())
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
