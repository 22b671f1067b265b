import { sql } from "kysely";
import type { Context, DatabaseContext } from "#context.ts";
import type { PageInput } from "../app-streams.ts";
import { IS_FOR_MEMBER } from "./membership.ts";
import type { MailboxEntry } from "./read.ts";

/** Maximum number of channels in the list of an app. */
const CHANNELS_MAX = 500;

/**
 * Returns a page of an app's list, newest first: the messages that the app has not removed, without expired ones that
 * it was never given, and without those of a team that the owner left before.
 */
export async function listEntries(
  { database: { db }, now }: Context,
  deviceId: string,
  { channel, before, limit }: PageInput,
): Promise<readonly MailboxEntry[]> {
  let query = db
    .selectFrom("mailbox")
    .innerJoin("notification", "notification.id", "mailbox.notification_id")
    .select(["mailbox.number", "mailbox.notification_id as notificationId"])
    .where("mailbox.device_id", "=", deviceId)
    .where("mailbox.removed_at", "is", null)
    .where((eb) =>
      eb.or([
        eb("mailbox.taken_at", "is not", null),
        eb.and([eb("mailbox.expires_at", ">", now()), IS_FOR_MEMBER]),
      ]),
    );
  if (channel !== null) query = query.where("notification.channel", "=", channel);
  if (before !== null) query = query.where("mailbox.number", "<", before);
  return query.orderBy("mailbox.number", "desc").limit(limit).execute();
}

/** Returns the channels of an app's list, each once, in the order of their names. */
export async function listChannels(
  { database: { db } }: DatabaseContext,
  deviceId: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("mailbox")
    .innerJoin("notification", "notification.id", "mailbox.notification_id")
    .select("notification.channel")
    .distinct()
    .where("mailbox.device_id", "=", deviceId)
    .where("mailbox.removed_at", "is", null)
    .orderBy("notification.channel")
    .limit(CHANNELS_MAX)
    .execute();
  return rows.map(({ channel }) => channel);
}

/**
 * Removes one message from an app's list, or all messages that the app was given, of one channel or of all. Returns the
 * removed messages.
 */
export async function removeEntries(
  { database: { db }, now }: Context,
  deviceId: string,
  { number, channel }: { readonly number: number | null; readonly channel: string | null },
): Promise<readonly MailboxEntry[]> {
  let query = db
    .updateTable("mailbox")
    .set({ removed_at: now() })
    .where("device_id", "=", deviceId)
    .where("removed_at", "is", null);
  query =
    number === null ? query.where("taken_at", "is not", null) : query.where("number", "=", number);
  if (channel !== null) {
    query = query.where(
      sql<boolean>`exists (select 1 from notification where notification.id = mailbox.notification_id
        and notification.channel = ${channel})`,
    );
  }
  return query.returning(["number", "notification_id as notificationId"]).execute();
}
