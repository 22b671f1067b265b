import type { Context, DatabaseContext } from "#context.ts";
import { dayAt, dayText, SEAL_DELAY_MS } from "../days.ts";
import { DayDigest, GENESIS } from "./digest.ts";
import { eventsOfDay, findFirstDay, findLastSeal, insertSeal } from "./store.ts";
import { SEALED } from "./witness.ts";

/** Most days of one run; the next run seals the rest. */
const DAYS_AT_ONCE_MAX = 400;

/**
 * Seals every day that is over, each with the digest of the day before in its own. All nodes come to the same digest, so any of them
 * may do it, and several at once. The line in the log is the witness outside of the database: the digest has no key, because a server that
 * seals what it finds would sign a day of which somebody had changed the events and removed the seal.
 */
export async function sealDays(context: Context): Promise<void> {
  const last = await findLastSeal(context);
  let day = last === null ? await findFirstDay(context, 0) : last.day + 1;
  if (day === null) return;
  let previous = last?.digest ?? GENESIS;
  const until = Math.min(dayAt(context.now() - SEAL_DELAY_MS), day + DAYS_AT_ONCE_MAX);
  for (; day < until; day += 1) {
    const { digest, eventCount } = await digestOf(context, { day, previous });
    const seal = { day, event_count: eventCount, digest, sealed_at: context.now() };
    // Another node sealed it first, and continues.
    if (!(await insertSeal(context, seal))) return;
    const fields = { day: dayText(day), eventCount, digest };
    context.log.info(fields, SEALED);
    previous = digest;
  }
}

/** Returns the digest of the events that a day has now. */
export async function digestOf(
  context: DatabaseContext,
  { day, previous }: { readonly day: number; readonly previous: string },
): Promise<{ readonly digest: string; readonly eventCount: number }> {
  const sum = new DayDigest(day, previous);
  for await (const event of eventsOfDay(context, day)) sum.add(event);
  return sum.end();
}
