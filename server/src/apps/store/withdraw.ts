import type { Context } from "#context.ts";
import type { FetchedMessage } from "#providers/provider.ts";
import { findFetchedMessages } from "./read.ts";

/**
 * Ends the life of a message that its app was not given yet. The row stays, because the app may name the message as its
 * position. Returns the proof if the app has the message already; otherwise null. Idempotent.
 */
export async function withdrawMessage(
  context: Context,
  notificationId: string,
  deviceId: string,
): Promise<FetchedMessage | null> {
  const now = context.now();
  await context.database.db
    .updateTable("mailbox")
    .set({ expires_at: now })
    .where("notification_id", "=", notificationId)
    .where("device_id", "=", deviceId)
    .where("taken_at", "is", null)
    .where("expires_at", ">", now)
    .execute();
  const fetched = await findFetchedMessages(context, notificationId, [deviceId]);
  return fetched.get(deviceId) ?? null;
}
