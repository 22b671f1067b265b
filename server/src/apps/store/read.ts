import { sql } from "kysely";
import { addContentFromColumns } from "#content/content.ts";
import type { Context, DatabaseContext } from "#context.ts";
import { compileOnce } from "#database/compile-once.ts";
import { toMinId } from "#ids.ts";
import type { FetchedMessage } from "#providers/provider.ts";
import type { MailboxMessage } from "../app.ts";
import { IS_GIVEN_OR_FOR_MEMBER } from "./membership.ts";

/** A message in a mailbox, without its content. */
export interface MailboxEntry {
  readonly number: number;
  readonly notificationId: string;
}

/** The stored part of a message that is the same for every app. */
export type StoredMessage = Omit<MailboxMessage, "number">;

/**
 * A page of the messages after a number, in their order. Expired ones are left out, and those that wait for a member
 * who left the team.
 */
export type EntryPage = {
  readonly deviceId: string;
  readonly after: number;
  readonly limit: number;
};

type EntryQuery = EntryPage & { readonly now: number };

/** Returns the entries after a number. Every hint needs this query, so it is compiled once. */
export async function readNewEntries(
  { database, now }: Context,
  page: EntryPage,
): Promise<readonly MailboxEntry[]> {
  const { rows } = await database.read(selectNewEntries(database.db, { ...page, now: now() }));
  return rows as readonly MailboxEntry[]; // The columns that `selectNewEntries` selects.
}

const selectNewEntries = compileOnce<EntryQuery>((db, { deviceId, after, limit, now }) =>
  db
    .selectFrom("mailbox")
    .select(["number", "notification_id as notificationId"])
    .where("device_id", "=", deviceId)
    .where("number", ">", after)
    .where("expires_at", ">", now)
    .where(IS_GIVEN_OR_FOR_MEMBER)
    .orderBy("number")
    .limit(sql<number>`${limit}`),
);

/** The messages that an app asks for, in addition to those that it is owed. */
export type Wanted =
  | { readonly kind: "owed" | "all" }
  | { readonly kind: "after"; readonly number: number }
  | { readonly kind: "numbers"; readonly numbers: readonly number[] }
  /** Messages of this time or later, in milliseconds since the epoch. */
  | { readonly kind: "since"; readonly at: number };

/** Returns the owed and the wanted entries after a number and up to another, of `channels`; null for every channel. */
export async function readWantedEntries(
  { database: { db }, now }: Context,
  {
    deviceId,
    after,
    upTo,
    wanted,
    channels = null,
    limit,
  }: EntryPage & {
    readonly upTo: number;
    readonly wanted: Wanted;
    readonly channels?: readonly string[] | null;
  },
): Promise<readonly MailboxEntry[]> {
  let query = db
    .selectFrom("mailbox")
    .select(["number", "notification_id as notificationId"])
    .where("device_id", "=", deviceId)
    .where("number", ">", after)
    .where("number", "<=", upTo)
    .where("expires_at", ">", now())
    .where(IS_GIVEN_OR_FOR_MEMBER);
  if (channels !== null) {
    query = query.where(
      sql<boolean>`exists (select 1 from notification where notification.id = mailbox.notification_id
        and notification.channel in (${sql.join(channels)}))`,
    );
  }
  const isWanted = toCondition(wanted);
  const filtered =
    isWanted === null ? query : query.where(sql<boolean>`(taken_at is null or ${isWanted})`);
  return filtered.orderBy("number").limit(limit).execute();
}

/**
 * Margin for the id of a notification, which may be created before its time is read. The bound on ids limits the
 * partitions to search.
 */
const ID_MARGIN_MS = 1_000;

function toCondition(wanted: Wanted) {
  switch (wanted.kind) {
    case "owed":
      return sql`false`;
    case "all":
      return null;
    case "after":
      return sql`number > ${wanted.number}`;
    case "numbers":
      return wanted.numbers.length === 0
        ? sql`false`
        : sql`number in (${sql.join(wanted.numbers)})`;
    case "since":
      return sql`(notification_id >= ${toMinId(Math.max(0, wanted.at - ID_MARGIN_MS))}
        and exists (select 1 from notification where notification.id = mailbox.notification_id
          and notification.created_at >= ${wanted.at}))`;
  }
}

/** Returns the contents of notifications, by id; deleted ones are omitted. */
export async function findStoredMessages(
  { database: { db } }: DatabaseContext,
  notificationIds: readonly string[],
): Promise<ReadonlyMap<string, StoredMessage>> {
  if (notificationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("notification")
    .selectAll()
    .where("id", "in", notificationIds)
    .execute();
  return new Map(
    rows.map((row) => {
      const { id: notificationId, created_at: createdAt, expires_at: expiresAt, extras } = row;
      const message = { notificationId, createdAt, expiresAt, extras };
      return [notificationId, addContentFromColumns(message, row)];
    }),
  );
}

/** Returns the number of the message of a notification; null if it is not in the mailbox. */
export async function findNumber(
  { database: { db } }: DatabaseContext,
  deviceId: string,
  notificationId: string,
): Promise<number | null> {
  const row = await db
    .selectFrom("mailbox")
    .select("number")
    .where("notification_id", "=", notificationId)
    .where("device_id", "=", deviceId)
    .executeTakeFirst();
  return row?.number ?? null;
}

/** Returns the entry of a notification that an app may be given; null if there is none. */
export async function findEntry(
  { database: { db }, now }: Context,
  deviceId: string,
  notificationId: string,
): Promise<MailboxEntry | null> {
  const row = await db
    .selectFrom("mailbox")
    .select("number")
    .where("notification_id", "=", notificationId)
    .where("device_id", "=", deviceId)
    .where("expires_at", ">", now())
    .where(IS_GIVEN_OR_FOR_MEMBER)
    .executeTakeFirst();
  return row === undefined ? null : { number: row.number, notificationId };
}

/** Returns the number of an app's latest message; null if there is none. */
export async function findLatestNumber(
  { database: { db }, now }: Context,
  deviceId: string,
): Promise<number | null> {
  const row = await db
    .selectFrom("mailbox")
    .select("number")
    .where("device_id", "=", deviceId)
    .where("expires_at", ">", now())
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.number ?? null;
}

/** Returns the number of an app's latest message in each of these channels. Reads the mailbox once for all of them. */
export async function findLatestNumbers(
  { database: { db }, now }: Context,
  deviceId: string,
  channels: readonly string[],
): Promise<readonly number[]> {
  if (channels.length === 0) return [];
  const rows = await db
    .selectFrom("mailbox")
    .innerJoin("notification", "notification.id", "mailbox.notification_id")
    .select(({ fn }) => fn.max("mailbox.number").as("number"))
    .where("mailbox.device_id", "=", deviceId)
    .where("mailbox.expires_at", ">", now())
    .where("notification.channel", "in", channels)
    .groupBy("notification.channel")
    .execute();
  return rows.map(({ number }) => number);
}

/** Returns which of at most 500 apps have the message of a notification, and how that was proven. */
export async function findFetchedMessages(
  { database: { db } }: DatabaseContext,
  notificationId: string,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, FetchedMessage>> {
  if (deviceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("mailbox")
    .select(["device_id", "taken_at", "how"])
    .where("notification_id", "=", notificationId)
    .where("device_id", "in", deviceIds)
    .where("taken_at", "is not", null)
    .execute();
  return new Map(
    rows.flatMap(({ device_id, taken_at: at, how }): [string, FetchedMessage][] =>
      at === null || how === null ? [] : [[device_id, { receipt: how, at }]],
    ),
  );
}
