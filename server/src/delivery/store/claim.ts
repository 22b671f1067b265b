import { sql, type Selectable } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { LANES, type Lane, type LeasedJob } from "../delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { makeWaitingJobsDue } from "./displaced-jobs.ts";
import { ClaimLowWaterMark } from "./claim-low-water-mark.ts";
import { toLeasedJob, toNotification } from "./rows.ts";

/** Returns the methods of the store that share the low-water marks of claims. */
export function createClaimMethods(
  context: Context,
  owner: string,
): Pick<DeliveryStore, "claim" | "findNextDueAt" | "makeWaitingJobsDue"> {
  const lowWaterMark = new ClaimLowWaterMark(
    context.database.engine.keepsDeletedRows,
    context.elapsed,
  );
  return {
    claim: (input) => claimDue(context, lowWaterMark, { ...input, owner }),
    findNextDueAt: () => findNextDueAfterLookBack(context, lowWaterMark),
    makeWaitingJobsDue(input) {
      lowWaterMark.reset();
      return makeWaitingJobsDue(context, input);
    },
  };
}

/** Looks back first: without another job, no claim would run and find one that was committed late. */
async function findNextDueAfterLookBack(
  context: Context,
  lowWaterMark: ClaimLowWaterMark,
): Promise<number | null> {
  const now = context.now();
  for (const lane of LANES) await lookBack(context, lowWaterMark, { lane, now });
  return findNextDueAt(context, lowWaterMark.getLowestMark(now));
}

async function lookBack(
  context: Context,
  lowWaterMark: ClaimLowWaterMark,
  { lane, now }: { readonly lane: Lane; readonly now: number },
): Promise<void> {
  if (!lowWaterMark.isLookBackDue(lane, now)) return;
  const foundJob = await hasJobDueBefore(context, lane, lowWaterMark.getMark(lane, now));
  lowWaterMark.recordLookBack(lane, foundJob);
}

interface ClaimInput {
  readonly lane: Lane;
  readonly max: number;
  readonly until: number;
  readonly owner: string;
}

async function claimDue(
  context: Context,
  lowWaterMark: ClaimLowWaterMark,
  input: ClaimInput,
): Promise<readonly LeasedJob[]> {
  const { lane, max } = input;
  const now = context.now();
  await lookBack(context, lowWaterMark, { lane, now });
  const rows = await claim(context, { ...input, from: lowWaterMark.getMark(lane, now), now });
  if (rows.length < max) lowWaterMark.recordDrained(lane, now);
  return toLeasedJobs(context, rows);
}

async function hasJobDueBefore(
  { database: { db } }: Context,
  lane: Lane,
  before: number,
): Promise<boolean> {
  const row = await db
    .selectFrom("send_job")
    .select("id")
    .where("lane", "=", lane)
    .where("run_at", "<", before)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function claim(
  { database: { db, engine } }: Context,
  input: ClaimInput & { readonly from: number; readonly now: number },
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

async function toLeasedJobs(
  { database: { db } }: Context,
  rows: readonly Selectable<Schema["send_job"]>[],
): Promise<readonly LeasedJob[]> {
  if (rows.length === 0) return [];
  const notifications = await db
    .selectFrom("notification")
    .selectAll()
    .where("id", "in", [...new Set(rows.map((row) => row.notification_id))])
    .execute();
  const byId = new Map(notifications.map((row) => [row.id, toNotification(row)]));
  return rows.flatMap((row) => {
    const notification = byId.get(row.notification_id);
    return notification === undefined ? [] : [toLeasedJob(row, notification)];
  });
}

/** Returns the earliest due time. Queries each lane separately, because the index begins with the lane. */
async function findNextDueAt({ database: { db } }: Context, from: number): Promise<number | null> {
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
