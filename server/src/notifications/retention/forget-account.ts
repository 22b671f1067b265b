import type { Context } from "#context.ts";
import { removeActivity, removeNotifications } from "#delivery/store/retention.ts";
import { filedUnder, removeReadMarks, unfileFromQuery } from "../feed/store.ts";

const BATCH_MAX = 500;

/** Deletes the notifications that were sent only to this account, and its read marks. Idempotent. */
export async function forgetAccountContents(context: Context, accountId: string): Promise<void> {
  const alongside = (ids: readonly string[]) => [
    unfileFromQuery(context, { audienceId: accountId, ids }),
  ];
  for (;;) {
    const ids = await filedUnder(context, { audienceId: accountId, limit: BATCH_MAX });
    if (ids.length > 0) await removeNotifications(context, { ids, alongside });
    if (ids.length < BATCH_MAX) break;
  }
  await removeReadMarks(context, accountId);
  await removeActivity(context, accountId);
}
