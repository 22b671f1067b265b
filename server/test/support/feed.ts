import type { NotificationContent } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { contextAt } from "./room.ts";
import { insertNotifications, notificationTo } from "./notifications.ts";

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
  const sent = contents.map(({ minutesAgo = 0, ...content }, index) => {
    // Notifications of the same minute keep their order.
    const at = now - minutesAgo * MINUTE_MS + index - contents.length;
    return notificationTo(contextAt(context, at), accountId, content);
  });
  await insertNotifications(context, sent);
  return sent.map(({ id }) => id);
}
