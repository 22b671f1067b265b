import type { Context, DatabaseContext } from "#context.ts";
import { toDay, formatDay, CHAIN_DELAY_MS } from "../days.ts";
import { DayDigest, GENESIS_DIGEST } from "./digest.ts";
import {
  readEventsOfDay,
  findFirstEventDay,
  findLastChainedDay,
  insertChainedDay,
} from "./store.ts";
import { CHAINED_DAY_MESSAGE } from "./witness.ts";

/** Maximum number of days per run. The next run chains the rest. */
const DAYS_PER_RUN_MAX = 400;

/**
 * Chains the days that ended over an hour ago: each digest includes the digest of the day before. All nodes compute
 * the same digest, so several of them may run this concurrently. The log line is the evidence outside the database.
 * The digest is not signed, because a server chains the events that it finds: it would also sign a day whose events
 * were changed and whose digest was removed.
 */
export async function chainDays(context: Context): Promise<void> {
  const lastChained = await findLastChainedDay(context);
  let day = lastChained === null ? await findFirstEventDay(context, 0) : lastChained.day + 1;
  if (day === null) return;
  let previousDigest = lastChained?.digest ?? GENESIS_DIGEST;
  const endDay = Math.min(toDay(context.now() - CHAIN_DELAY_MS), day + DAYS_PER_RUN_MAX);
  for (; day < endDay; day += 1) {
    const { digest, eventCount } = await computeDayDigest(context, { day, previousDigest });
    const chainedDay = { day, event_count: eventCount, digest, sealed_at: context.now() };
    // If another node chained this day first, that node also chains the following days.
    if (!(await insertChainedDay(context, chainedDay))) return;
    const fields = { day: formatDay(day), eventCount, digest };
    context.log.info(fields, CHAINED_DAY_MESSAGE);
    previousDigest = digest;
  }
}

/** Returns the digest of the current events of a day, and their number. */
async function computeDayDigest(
  context: DatabaseContext,
  { day, previousDigest }: { readonly day: number; readonly previousDigest: string },
): Promise<{ readonly digest: string; readonly eventCount: number }> {
  const dayDigest = new DayDigest(day, previousDigest);
  for await (const event of readEventsOfDay(context, day)) dayDigest.add(event);
  return dayDigest.finish();
}
