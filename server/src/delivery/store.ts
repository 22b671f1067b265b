import { sql, type Expression } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { LANES, type Lane, type Lease, type LeasedJob } from "./delivery.ts";
import type { DeliveryStore, QueueStats, Woken } from "./delivery-store.ts";
import { createAccept } from "./accept/store.ts";
import { LEASE_AHEAD_MAX_MS } from "./lease.ts";
import { leasedJobOf, notificationOf, pendingOf } from "./rows.ts";
import { createSettle } from "./settle/store.ts";

/** Returns the queue of this node, `owner`, in the database. */
export function createDeliveryStore(context: Context, owner: string): DeliveryStore {
  return {
    accept: createAccept(context, owner),
    settle: createSettle(context),
    claim: (input) => claim(context, { ...input, owner }),
    renew: (leases, until) => renew(context, leases, until),
    release: (leases, at) => release(context, leases, at),
    wake: (input) => wake(context, input),
    nudge: (service, max) => nudge(context, service, max),
    recover: () => recover(context),
    reclaim: (owners) => reclaim(context, owners),
    takeBackAhead: () => takeBackAhead(context),
    lookAgain: (input) => lookAgain(context, input),
    waitedFor: (max) => waitedFor(context, max),
    nextDueAt: () => nextDueAt(context),
    stats: () => stats(context),
  };
}

async function claim(
  { database: { db, engine }, now }: Context,
  input: { lane: Lane; max: number; until: number; owner: string },
): Promise<readonly LeasedJob[]> {
  const rows = await db
    .with(
      (table) => table("due").materialized(),
      (due) =>
        due
          .selectFrom("send_job")
          .select("id")
          .where("lane", "=", input.lane)
          .where("run_at", "<=", now())
          .orderBy("run_at")
          .orderBy("id")
          .limit(input.max)
          .modifyEnd(engine.skipLocked),
    )
    .updateTable("send_job")
    .set({
      run_at: input.until,
      epoch: sql<number>`epoch + 1`,
      crashes: sql<number>`crashes + case when owner = '' then 0 else 1 end`,
      owner: input.owner,
    })
    .where("id", "in", (due) => due.selectFrom("due").select("due.id"))
    .returningAll()
    .execute();
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

async function renew(
  { database }: Context,
  leases: readonly Lease[],
  until: number,
): Promise<readonly string[]> {
  const ordered = inOrder(leases);
  const results = await database.atomically(
    ordered.map(({ jobId, epoch }) =>
      database.db
        .updateTable("send_job")
        .set({ run_at: until })
        .where("id", "=", jobId)
        .where("epoch", "=", epoch)
        .where("owner", "<>", "")
        .returning("id"),
    ),
  );
  return ordered.flatMap(({ jobId }, index) => (results[index]?.rows.length === 1 ? [] : [jobId]));
}

async function release({ database }: Context, leases: readonly Lease[], at: number): Promise<void> {
  if (leases.length === 0) return;
  await database.atomically(
    inOrder(leases).map(({ jobId, epoch }): Compilable =>
      database.db
        .updateTable("send_job")
        .set({ run_at: at, owner: "" })
        .where("id", "=", jobId)
        .where("epoch", "=", epoch),
    ),
  );
}

/** In the order in which a settlement keeps jobs: it may run meanwhile, on another connection. */
function inOrder(leases: readonly Lease[]): readonly Lease[] {
  return leases.toSorted((one, other) => (one.jobId < other.jobId ? -1 : 1));
}

/** Makes jobs due that no node holds; kept in the order of settlements, so that nobody waits for each other in a circle. */
function makeDue(
  { database: { db, engine }, now }: Context,
  jobIds: Expression<{ job_id: string }>,
) {
  const moment = now();
  const asleep = db
    .selectFrom("send_job")
    .select("id")
    .where("owner", "=", "")
    .where("run_at", ">", moment)
    .where(sql<boolean>`id in ${jobIds}`)
    .orderBy("id");
  return db
    .with(
      (table) => table("asleep").materialized(),
      () => (engine.keepRows === null ? asleep : asleep.modifyEnd(engine.keepRows)),
    )
    .updateTable("send_job")
    .set({ run_at: moment })
    .where("id", "in", (job) => job.selectFrom("asleep").select("asleep.id"))
    .returning("id");
}

/** A wait that another node records in between stays, with its job asleep: that node's own release wakes it. */
async function wake(
  context: Context,
  { service, max }: { service: string; max: number },
): Promise<Woken> {
  const { database } = context;
  const { db } = database;
  const rows = await db
    .selectFrom("send_job_wait")
    .leftJoin("send_job as job", "job.id", "send_job_wait.job_id")
    .select(["send_job_wait.job_id", "job.id", "job.pending"])
    .where("send_job_wait.service", "=", service)
    .orderBy("send_job_wait.job_id")
    .limit(max + 1)
    .execute();
  const ids: string[] = [];
  let devices = 0;
  for (const { job_id, id, pending } of rows) {
    if (devices >= max) break;
    ids.push(job_id);
    // What is left of a job that ended wakes nobody.
    if (id !== null) devices += devicesWaiting(pending, service);
  }
  if (ids.length > 0) {
    const taken = db.selectFrom("send_job_wait").select("job_id").where("job_id", "in", ids);
    await database.atomically([
      makeDue(context, taken),
      db
        .deleteFrom("send_job_wait")
        .where("service", "=", service)
        .where("job_id", "in", ids)
        .where((is) =>
          is.not(
            is.exists(
              is
                .selectFrom("send_job")
                .select("send_job.id")
                .whereRef("send_job.id", "=", "send_job_wait.job_id")
                .where("send_job.owner", "=", "")
                .where("send_job.run_at", ">", context.now()),
            ),
          ),
        ),
    ]);
  }
  return { devices, isAll: ids.length === rows.length && rows.length <= max };
}

function devicesWaiting(pending: string | null, service: string): number {
  const devices = pending === null ? [] : pendingOf(pending);
  return Math.max(1, devices.filter(({ waitsFor }) => waitsFor?.service === service).length);
}

async function nudge(context: Context, service: string, max: number): Promise<number> {
  const waits = context.database.db
    .selectFrom("send_job_wait")
    .innerJoin("send_job as job", "job.id", "send_job_wait.job_id")
    .select("send_job_wait.job_id")
    .where("send_job_wait.service", "=", service)
    .where("job.owner", "=", "")
    .where("job.run_at", ">", context.now())
    .orderBy("send_job_wait.job_id")
    .limit(max);
  const nudged = await makeDue(context, waits).execute();
  return nudged.length;
}

async function recover({ database: { db }, now }: Context): Promise<number> {
  const held = await db
    .updateTable("send_job")
    .set({ run_at: now(), owner: "", crashes: sql<number>`crashes + 1` })
    .where("owner", "<>", "")
    .returning("id")
    .execute();
  return held.length;
}

/** Leases end soon: those of the dead are found by their time, whatever waits besides. */
async function reclaim(context: Context, owners: readonly string[]): Promise<number> {
  const { database, now } = context;
  const rows = await database.db
    .updateTable("send_job")
    .set({ run_at: now(), owner: "", crashes: sql<number>`crashes + 1` })
    .where("lane", "in", LANES)
    .where("run_at", "<=", now() + LEASE_AHEAD_MAX_MS)
    .where("owner", "in", owners)
    .returning("id")
    .execute();
  return rows.length;
}

/** Their owner stays, so that the next claim counts a crash; who still holds one renews it, or is fenced. */
async function takeBackAhead({ database: { db }, now }: Context): Promise<number> {
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

/** Jobs that others are changing right now are left to them. */
async function lookAgain(
  { database: { db, engine }, now }: Context,
  { after, max }: { after: string; max: number },
): Promise<{ count: number; lastId: string }> {
  const rows = await db
    .with(
      (table) => table("ahead").materialized(),
      (ahead) =>
        ahead
          .selectFrom("send_job")
          .select("id")
          .where("id", ">", after)
          .where("owner", "=", "")
          .where("run_at", ">", now())
          .orderBy("id")
          .limit(max)
          .modifyEnd(engine.skipLocked),
    )
    .updateTable("send_job")
    .set({ run_at: now() })
    .where("id", "in", (ahead) => ahead.selectFrom("ahead").select("ahead.id"))
    .returning("id")
    .execute();
  const lastId = rows.reduce((last, { id }) => (id > last ? id : last), after);
  return { count: rows.length, lastId };
}

/** Steps from name to name along the index, however many jobs wait. */
async function waitedFor({ database: { db } }: Context, max: number): Promise<readonly string[]> {
  const query = sql<{ service: string }>`
    with recursive step (service) as (
      select min(service) from send_job_wait
      union all
      select (select min(next.service) from send_job_wait as next where next.service > step.service)
      from step where step.service is not null
    )
    select service from step where service is not null limit ${max}`;
  const { rows } = await query.execute(db);
  return rows.map(({ service }) => service);
}

/** Lane by lane, as the index is. */
async function nextDueAt({ database: { db } }: Context): Promise<number | null> {
  const firsts = LANES.map(
    (lane) => sql`(
    select min(run_at) as at from send_job where lane = ${lane}
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

async function stats({ database: { db }, now }: Context): Promise<QueueStats> {
  const at = now();
  const row = await db
    .selectFrom("send_job")
    .select((of) => [
      of.fn.countAll<number>().as("jobs"),
      of.fn.sum<number | null>(of.case().when("run_at", "<=", at).then(1).else(0).end()).as("due"),
      of.fn.min<number | null>("run_at").as("oldest"),
    ])
    .executeTakeFirstOrThrow();
  const oldestDueMs = row.oldest === null ? 0 : Math.max(0, at - row.oldest);
  return { jobs: row.jobs, due: row.due ?? 0, oldestDueMs };
}
