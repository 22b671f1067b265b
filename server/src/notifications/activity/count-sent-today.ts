import type { Context } from "#context.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import { countSent } from "./store.ts";

/** Returns the number of notifications to an account since midnight (UTC), without notifications to its teams. */
export async function countSentToday(context: Context, accountId: string): Promise<number> {
  const today = Math.floor(context.now() / DAY_MS);
  const counts = await countSent(context, { audienceIds: [accountId], days: [today] });
  return counts[0]?.count ?? 0;
}
