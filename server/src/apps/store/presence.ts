import { sql } from "kysely";
import type { Context, DatabaseContext } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { parseChannels } from "./put.ts";

/** Maximum number of an account's apps that have streams, on any node. */
export const STREAMING_APPS_MAX = 20;

/** A change of an app's connection to this node. */
export type PresenceChange =
  /**
   * A stream was opened at `at`. `channels` are those of all the app's streams on this node; null for every channel.
   */
  | {
      readonly kind: "opened";
      readonly deviceId: string;
      readonly accountId: string;
      readonly nodeId: string;
      readonly at: number;
      readonly channels: readonly string[] | null;
    }
  /** The app's last stream on this node has ended. It was opened at `openedAt` or earlier. */
  | {
      readonly kind: "ended";
      readonly deviceId: string;
      readonly nodeId: string;
      readonly openedAt: number;
    };

/** The record of a change. */
export type PresenceResult =
  | {
      readonly kind: "recorded";
      /** The number of the app's latest message. */
      readonly lastNumber: number;
    }
  /** The app was removed, or an ended stream was not its latest. */
  | { readonly kind: "unchanged" }
  /** The account has `STREAMING_APPS_MAX` other apps with streams. */
  | { readonly kind: "full" };

/** Records changes in one commit. Returns results in the order of the changes. */
export async function recordPresence(
  context: Context,
  changes: readonly PresenceChange[],
): Promise<readonly PresenceResult[]> {
  // All nodes take the locks in one order, so that they cannot deadlock.
  const ordered = changes
    .map((change, index) => ({ change, index }))
    .toSorted((a, b) => (a.change.deviceId < b.change.deviceId ? -1 : 1) || a.index - b.index);
  const locks = lockAccountsQueries(context, changes);
  const committed = await context.database.atomically([
    ...locks,
    ...ordered.map(({ change }) => toPresenceQuery(context, change)),
  ]);
  const results = changes.map((): PresenceResult => UNCHANGED);
  for (const [position, { index }] of ordered.entries()) {
    // The column that the query returns.
    const rows = committed[locks.length + position]?.rows as readonly { lastNumber: number }[];
    for (const { lastNumber } of rows) results[index] = { kind: "recorded", lastNumber };
  }
  return explainRefusals(context, changes, results);
}

const UNCHANGED = { kind: "unchanged" } as const;

/**
 * Returns the statements that lock the accounts whose apps opened streams: concurrent openings would not count each
 * other.
 */
function lockAccountsQueries(
  { database: { db, engine } }: DatabaseContext,
  changes: readonly PresenceChange[],
): readonly Compilable[] {
  const opened = changes.filter((change) => change.kind === "opened");
  const accountIds = new Set(opened.map(({ accountId }) => accountId));
  return [...accountIds].toSorted().map((accountId) => {
    const lock = engine.lockName(`streaming apps ${accountId}`);
    return { compile: () => lock.compile(db) };
  });
}

/** Distinguishes apps whose account is full from those that were removed: neither has a changed row. */
async function explainRefusals(
  { database: { db } }: DatabaseContext,
  changes: readonly PresenceChange[],
  results: readonly PresenceResult[],
): Promise<readonly PresenceResult[]> {
  const isRefused = (index: number) =>
    changes[index]?.kind === "opened" && results[index]?.kind === "unchanged";
  const refusedIds = changes.filter((_, index) => isRefused(index)).map(({ deviceId }) => deviceId);
  if (refusedIds.length === 0) return results;
  const rows = await db
    .selectFrom("connected_app")
    .select("device_id")
    .where("device_id", "in", refusedIds)
    .execute();
  const existing = new Set(rows.map(({ device_id }) => device_id));
  return results.map((result, index) =>
    isRefused(index) && existing.has(changes[index]?.deviceId ?? "") ? { kind: "full" } : result,
  );
}

function toPresenceQuery({ database: { db }, now }: Context, change: PresenceChange): Compilable {
  const { deviceId, nodeId } = change;
  const update = db
    .updateTable("connected_app")
    .where("device_id", "=", deviceId)
    .returning("last_number as lastNumber");
  return change.kind === "opened"
    ? update
        .set({
          node_id: nodeId,
          connected_at: change.at,
          channels: change.channels === null ? null : JSON.stringify(change.channels),
        })
        .where(sql<boolean>`(${countStreamingDevices(change)}) < ${STREAMING_APPS_MAX}`)
    : update
        .set({ node_id: null, disconnected_at: now() })
        .where("node_id", "=", nodeId)
        .where("connected_at", "<=", change.openedAt);
}

/** Returns the query for the number of other apps of an account that have streams, on any node. */
function countStreamingDevices({
  accountId,
  deviceId,
}: {
  readonly accountId: string;
  readonly deviceId: string;
}) {
  return sql`select count(*) from connected_app as other where other.account_id = ${accountId}
    and other.node_id is not null and other.device_id <> ${deviceId}`;
}

/**
 * Records that an app fetched from channels (null for every channel), and adds these to the channels that it listens
 * to. Returns the number of the app's latest message; null if the app was removed.
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

/**
 * Maximum number of channels that an app listens to by its polls, as many as one poll may name. The latest are kept.
 */
const LISTENED_MAX = 500;

/** Records that nodes no longer hold streams; null for all nodes. */
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
