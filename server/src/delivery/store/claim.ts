import { sql, type Selectable } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { LANES, type Lane, type LeasedJob } from "../delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { makeWaitingDue } from "./displaced.ts";
import { ClaimLowWaterMark } from "./claim-low-water-mark.ts";
import { leasedJobOf, notificationOf } from "./rows.ts";

/** Returns the parts of the store that share where due work is looked for from. */
export function createClaim(
  context: Context,
  owner: string,
): Pick<DeliveryStore, "claim" | "nextDueAt" | "makeWaitingDue"> {
  const horizon = new ClaimLowWaterMark(context.database.engine.keepsDeleted, context.elapsed);
  return {
    claim: (input) => claimDue(context, horizon, { ...input, owner }),
    nextDueAt: () => nextDueAfterLook(context, horizon),
    makeWaitingDue(input) {
      horizon.forget();
      return makeWaitingDue(context, input);
    },
  };
}

/** Looks before the mark too: if nothing else is owed, no claim would find a job that was committed late. */
async function nextDueAfterLook(
  context: Context,
  horizon: ClaimLowWaterMark,
): Promise<number | null> {
  const now = context.now();
  for (const lane of LANES) await lookBack(context, horizon, { lane, now });
  return nextDueAt(context, horizon.first(now));
}

async function lookBack(
  context: Context,
  horizon: ClaimLowWaterMark,
  { lane, now }: { readonly lane: Lane; readonly now: number },
): Promise<void> {
  if (!horizon.isLookBackDue(lane, now)) return;
  const hasFound = await isDueBefore(context, lane, horizon.from(lane, now));
  horizon.lookedBack(lane, hasFound);
}

interface Claim {
  readonly lane: Lane;
  readonly max: number;
  readonly until: number;
  readonly owner: string;
}

async function claimDue(
  context: Context,
  horizon: ClaimLowWaterMark,
  input: Claim,
): Promise<readonly LeasedJob[]> {
  const { lane, max } = input;
  const now = context.now();
  await lookBack(context, horizon, { lane, now });
  const rows = await claim(context, { ...input, from: horizon.from(lane, now), now });
  if (rows.length < max) horizon.drained(lane, now);
  return withNotifications(context, rows);
}

async function isDueBefore(
  { database: { db } }: Context,
  lane: Lane,
  moment: number,
): Promise<boolean> {
  const row = await db
    .selectFrom("send_job")
    .select("id")
    .where("lane", "=", lane)
    .where("run_at", "<", moment)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function claim(
  { database: { db, engine } }: Context,
  input: Claim & { readonly from: number; readonly now: number },
) {
  const due = db
    .selectFrom("send_job")
    .select("id")
    .where("lane", "=", input.lane)
    .where("run_at", ">=", input.from)
    .where("run_at", "<=", input.now)
    .orderBy("run_at")
    .orderBy("id")
    .limit(input.max)
    .modifyEnd(engine.skipLocked);
  return db
    .updateTable("send_job")
    .set({
      run_at: input.until,
      epoch: sql<number>`epoch + 1`,
      crashes: sql<number>`crashes + case when owner = '' then 0 else 1 end`,
      suspected: sql<string | null>`
        case when owner in ('', ${input.owner}) then suspected else coalesce(marked, suspected) end`,
      marked: null,
      owner: input.owner,
    })
    .where(engine.isOneOf("id", due))
    .returningAll()
    .execute();
}

async function withNotifications(
  { database: { db } }: Context,
  rows: readonly Selectable<Schema["send_job"]>[],
): Promise<readonly LeasedJob[]> {
  if (rows.length === 0) return [];
  const notifications = await db
    .selectFrom("notification")
    .selectAll()
    .where("id", "in", [...new Set(rows.map((row) => row.notification_id))])
    .execute();
  const byId = new Map(notifications.map((row) => [row.id, notificationOf(row)]));
  return rows.flatMap((row) => {
    const notification = byId.get(row.notification_id);
    return notification === undefined ? [] : [leasedJobOf(row, notification)];
  });
}

/** Returns the first moment of each lane's jobs, as the index begins with the lane. */
async function nextDueAt({ database: { db } }: Context, from: number): Promise<number | null> {
  const firsts = LANES.map(
    (lane) => sql`(
    select min(run_at) as at from send_job where lane = ${lane} and run_at >= ${from}
  )`,
  );
  const query = sql<{ at: number | null }>`
    select min(at) as at from (${sql.join(
      firsts.map((first) => sql`select first.at from ${first} as first`),
      sql` union all `,
    )}) as firsts`;
  const { rows } = await query.execute(db);
  return rows[0]?.at ?? null;
}
