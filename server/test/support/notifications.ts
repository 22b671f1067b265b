import { EMPTY_CONTENT } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { notificationRow } from "#delivery/store/rows.ts";
import { fileNotifications } from "#notifications/feed/store.ts";

const LIFE_MS = 86_400_000;
/** SQLite takes at most 32,766 values in a statement. */
const ROWS_AT_ONCE = 500;

/** Returns a notification to an account that was accepted now. */
export function notificationTo(
  { newId, now }: Pick<Context, "newId" | "now">,
  accountId: string,
  given: Partial<NewNotification> = {},
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
    expiresAt: createdAt + LIFE_MS,
    deviceCount: 0,
    ...given,
  };
}

/** Remembers and files notifications, as if they had been sent and nothing were owed. */
export async function insertNotifications(
  context: Context,
  notifications: readonly NewNotification[],
): Promise<void> {
  for (let start = 0; start < notifications.length; start += ROWS_AT_ONCE) {
    const some = notifications.slice(start, start + ROWS_AT_ONCE);
    const rows = some.map((notification) => notificationRow(notification));
    await context.database.db.insertInto("notification").values(rows).execute();
    await fileNotifications(context, some);
  }
}
