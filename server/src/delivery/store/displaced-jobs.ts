import type { Context } from "#context.ts";
import { LANES } from "../delivery.ts";
import { LEASE_AHEAD_MAX_MS } from "../lease.ts";

/**
 * Implements `DeliveryStore.endOverlongLeases`: ends leases that end later than any lease taken now could. Keeps the
 * owner, so that the next claim counts a crash.
 */
export async function endOverlongLeases({ database: { db }, now }: Context): Promise<number> {
  const rows = await db
    .updateTable("send_job")
    .set({ run_at: now() })
    .where("lane", "in", LANES)
    // While a job has an owner, `run_at` is the end of its lease.
    .where("run_at", ">", now() + LEASE_AHEAD_MAX_MS)
    .where("owner", "<>", "")
    .returning("id")
    .execute();
  return rows.length;
}

/**
 * Implements `DeliveryStore.makeWaitingJobsDue`: makes waiting jobs due, however far ahead their times lie. Skips jobs
 * that other nodes are changing.
 */
export async function makeWaitingJobsDue(
  { database: { db, engine }, now }: Context,
  { after, max }: { after: string; max: number },
): Promise<{ count: number; lastId: string }> {
  const waiting = db
    .selectFrom("send_job")
    .select("id")
    .where("id", ">", after)
    .where("owner", "=", "")
    .where("run_at", ">", now())
    .orderBy("id")
    .limit(max)
    .modifyEnd(engine.skipLocked);
  const rows = await db
    .updateTable("send_job")
    .set({ run_at: now() })
    .where(engine.isOneOf("id", waiting))
    .returning("id")
    .execute();
  const lastId = rows.reduce((last, { id }) => (id > last ? id : last), after);
  return { count: rows.length, lastId };
}
