import type { Context } from "#context.ts";
import { LANES } from "../delivery.ts";
import { LEASE_AHEAD_MAX_MS } from "../lease.ts";

/** Makes jobs due as `DeliveryStore.endLeasesAhead` says. Their owner stays, so that the next claim counts a crash. */
export async function endLeasesAhead({ database: { db }, now }: Context): Promise<number> {
  const rows = await db
    .updateTable("send_job")
    .set({ run_at: now() })
    .where("lane", "in", LANES)
    .where("run_at", ">", now() + LEASE_AHEAD_MAX_MS)
    .where("owner", "<>", "")
    .returning("id")
    .execute();
  return rows.length;
}

/** Makes jobs due as `DeliveryStore.makeWaitingDue` says. Those that other nodes are changing right now are left to them. */
export async function makeWaitingDue(
  { database: { db, engine }, now }: Context,
  { after, max }: { after: string; max: number },
): Promise<{ count: number; lastId: string }> {
  const ahead = db
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
    .where(engine.isOneOf("id", ahead))
    .returning("id")
    .execute();
  const lastId = rows.reduce((last, { id }) => (id > last ? id : last), after);
  return { count: rows.length, lastId };
}
