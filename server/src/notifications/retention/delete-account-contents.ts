import type { Context } from "#context.ts";
import { removeActivity, removeNotifications } from "#delivery/store/retention.ts";
import { listFeedNotificationIds, removeReadMarks, removeFromFeedQuery } from "../feed/store.ts";
import { listInteractionNotificationIds } from "./list-interaction-notifications.ts";

const NOTIFICATIONS_PER_BATCH_MAX = 500;

/** Deletes the account's activity, its read marks, and the notifications that were sent only to it. Idempotent. */
export async function deleteAccountContents(context: Context, accountId: string): Promise<void> {
  // The pushes of an incident or a prompt that are not in the feed come second.
  for (const listIds of [listFeedNotificationIds, listInteractionNotificationIds]) {
    for (;;) {
      const input = { audienceId: accountId, limit: NOTIFICATIONS_PER_BATCH_MAX };
      const ids = await listIds(context, input);
      const extraStatements = [removeFromFeedQuery(context, { audienceId: accountId, ids })];
      if (ids.length > 0) await removeNotifications(context, { ids, extraStatements });
      if (ids.length < NOTIFICATIONS_PER_BATCH_MAX) break;
    }
  }
  await removeReadMarks(context, accountId);
  await removeActivity(context, accountId);
}
