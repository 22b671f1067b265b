import { EMPTY_CONTENT } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { toNotificationRow } from "#delivery/store/rows.ts";
import { insertFeedEntries } from "#notifications/feed/store.ts";

const TTL_MS = 86_400_000;
/** SQLite allows at most 32,766 values in a statement. */
const BATCH_ROWS = 500;

/** Returns a notification to an account, accepted now. */
export function createNotification(
  { newId, now }: Pick<Context, "newId" | "now">,
  accountId: string,
  overrides: Partial<NewNotification> = {},
): NewNotification {
  const createdAt = now();
  return {
    id: newId(),
    audience: { kind: "account", accountId },
    keyId: null,
    ...EMPTY_CONTENT,
    title: "Hello",
    body: "World",
    createdAt,
    expiresAt: createdAt + TTL_MS,
    deviceCount: 0,
    interaction: null,
    ...overrides,
  };
}

/** Stores notifications and their feed entries, as if they had been sent completely. */
export async function insertNotifications(
  context: Context,
  notifications: readonly NewNotification[],
): Promise<void> {
  for (let start = 0; start < notifications.length; start += BATCH_ROWS) {
    const batch = notifications.slice(start, start + BATCH_ROWS);
    const rows = batch.map((notification) => toNotificationRow(notification));
    await context.database.db.insertInto("notification").values(rows).execute();
    await insertFeedEntries(context, batch);
  }
}
