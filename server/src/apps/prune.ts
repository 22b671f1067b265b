import type { Context } from "#context.ts";
import { toMinId } from "#ids.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import { pruneApps, pruneMailbox } from "./store/removal.ts";

/**
 * Returns the regular deletions of this room: of messages whose notifications were deleted, and of apps whose devices
 * were removed. Each deletion deletes up to `limit` rows and returns their number.
 */
export function createAppPrunes(getRetentionDays: () => Promise<number>) {
  return [
    async (context: Context, limit: number) => {
      const before = toMinId(context.now() - (await getRetentionDays()) * DAY_MS);
      return pruneMailbox(context, { before, limit });
    },
    pruneApps,
  ];
}
