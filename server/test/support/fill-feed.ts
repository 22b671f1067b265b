import type { NotificationContent } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { createContextAt } from "./context.ts";
import { insertNotifications, createNotification } from "./notifications.ts";

/** Content and age of a notification in a feed. */
export type FeedContent = Partial<NotificationContent> & { readonly minutesAgo?: number };

const MINUTE_MS = 60_000;

/** Inserts notifications into an account's feed as if they had arrived at their times, oldest first. Returns their ids. */
export async function fillFeed(
  context: Context,
  accountId: string,
  contents: readonly FeedContent[],
): Promise<readonly string[]> {
  const now = context.now();
  const notifications = contents.map(({ minutesAgo = 0, ...content }, index) => {
    // Notifications of the same minute keep their order.
    const createdAt = now - minutesAgo * MINUTE_MS + index - contents.length;
    return createNotification(createContextAt(context, createdAt), accountId, content);
  });
  await insertNotifications(context, notifications);
  return notifications.map(({ id }) => id);
}
