import type { NotificationContent } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { contextAt } from "./room.ts";
import { insertNotifications, notificationTo } from "./notifications.ts";

/** Texts of a feed's notifications; their age counts in minutes. */
export type Said = Partial<NotificationContent> & { readonly minutesAgo?: number };

const MINUTE_MS = 60_000;

/** Files notifications as if they had reached an account at their times, oldest first; returns their ids. */
export async function fillFeed(
  context: Context,
  accountId: string,
  said: readonly Said[],
): Promise<readonly string[]> {
  const now = context.now();
  const sent = said.map(({ minutesAgo = 0, ...texts }, index) => {
    // Notifications of one minute keep their order.
    const at = now - minutesAgo * MINUTE_MS + index - said.length;
    return notificationTo(contextAt(context, at), accountId, texts);
  });
  await insertNotifications(context, sent);
  return sent.map(({ id }) => id);
}
