import type { Context, DatabaseContext } from "#context.ts";
import { dayAt, dayText, CHAIN_DELAY_MS } from "../days.ts";
import { DayDigest, GENESIS } from "./digest.ts";
import { eventsOfDay, findFirstDay, findLastChainedDay, insertChainedDay } from "./store.ts";
import { CHAINED_MESSAGE } from "./witness.ts";

/** Maximum number of days per run. The next run chains the rest. */
const DAYS_PER_RUN_MAX = 400;

/**
 * Chains every day that has ended: its digest includes the digest of the day before. All nodes compute the same
 * digest, so several of them may run this concurrently. The log line is the evidence outside the database. The digest
 * is not signed, because a server chains the events that it finds: it would also sign a day whose events were changed
 * and whose digest was removed.
 */
export async function chainDays(context: Context): Promise<void> {
  const last = await findLastChainedDay(context);
  let day = last === null ? await findFirstDay(context, 0) : last.day + 1;
  if (day === null) return;
  let previous = last?.digest ?? GENESIS;
  const until = Math.min(dayAt(context.now() - CHAIN_DELAY_MS), day + DAYS_PER_RUN_MAX);
  for (; day < until; day += 1) {
    const { digest, eventCount } = await computeDayDigest(context, { day, previous });
    const chainedDay = { day, event_count: eventCount, digest, sealed_at: context.now() };
    // Another node chained this day first, and continues.
    if (!(await insertChainedDay(context, chainedDay))) return;
    const fields = { day: dayText(day), eventCount, digest };
    context.log.info(fields, CHAINED_MESSAGE);
    previous = digest;
  }
}

/** Returns the digest of the current events of a day. */
export async function computeDayDigest(
  context: DatabaseContext,
  { day, previous }: { readonly day: number; readonly previous: string },
): Promise<{ readonly digest: string; readonly eventCount: number }> {
  const dayDigest = new DayDigest(day, previous);
  for await (const event of eventsOfDay(context, day)) dayDigest.add(event);
  return dayDigest.finish();
}
