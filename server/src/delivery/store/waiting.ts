import { sql, type Expression } from "kysely";
import type { Context } from "#context.ts";
import type { ReleaseResult } from "./delivery-store.ts";
import type { Compilable } from "#database/database.ts";
import { KEPT_PREFIX } from "../delivery.ts";
import { decodePending } from "./tuples.ts";

/** Returns how many jobs wait for each push service, by its name; a job may wait for several. */
export async function countWaitingJobs({
  database: { db },
}: Context): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("send_job_wait")
    .innerJoin("send_job", "send_job.id", "send_job_wait.job_id")
    .select(({ fn }) => ["service", fn.countAll().as("count")])
    .where("service", "not like", `${KEPT_PREFIX}%`)
    .groupBy("service")
    .execute();
  return new Map(rows.map(({ service, count }) => [service, Number(count)]));
}

/**
 * Implements `DeliveryStore.releaseWaiting`. If another node records a wait between the read and the write, the wait
 * stays and the job is not made due: that node releases the job.
 */
export async function releaseWaiting(
  context: Context,
  { service, max }: { service: string; max: number },
): Promise<ReleaseResult> {
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
  let deviceCount = 0;
  for (const { job_id, id, pending } of rows) {
    if (deviceCount >= max) break;
    ids.push(job_id);
    // A leftover wait of an ended job counts as 0 devices.
    if (id !== null) deviceCount += countWaitingDevices(pending, service);
  }
  if (ids.length > 0) {
    const released = db.selectFrom("send_job_wait").select("job_id").where("job_id", "in", ids);
    await database.atomically([
      createMakeDueStatement(context, released),
      db
        .deleteFrom("send_job_wait")
        .where("service", "=", service)
        .where("job_id", "in", ids)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
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
  return { deviceCount, isComplete: ids.length === rows.length && rows.length <= max };
}

/**
 * Returns the statements that make the jobs due that wait for these services, and end these waits. The first returns
 * the jobs. A job that runs meanwhile is not made due: its run checks the waits once more after it has stored them.
 */
export function endWaitsQueries(
  context: Context,
  services: readonly string[],
): readonly [Compilable, Compilable] {
  const { db } = context.database;
  const waiting = db.selectFrom("send_job_wait").select("job_id").where("service", "in", services);
  const deletion = db
    .deleteFrom("send_job_wait")
    .where("service", "in", services)
    .where((eb) => {
      const jobs = eb
        .selectFrom("send_job")
        .select("send_job.id")
        .whereRef("send_job.id", "=", "send_job_wait.job_id")
        .where((job) => job.or([job("owner", "<>", ""), job("run_at", ">", context.now())]));
      return eb.not(eb.exists(jobs));
    });
  return [createMakeDueStatement(context, waiting), deletion];
}

/** Implements `DeliveryStore.makeProbesDue`. */
export async function makeProbesDue(
  context: Context,
  service: string,
  max: number,
): Promise<number> {
  const waits = context.database.db
    .selectFrom("send_job_wait")
    .innerJoin("send_job as job", "job.id", "send_job_wait.job_id")
    .select("send_job_wait.job_id")
    .where("send_job_wait.service", "=", service)
    .where("job.owner", "=", "")
    .where("job.run_at", ">", context.now())
    .orderBy("send_job_wait.job_id")
    .limit(max);
  const probes = await createMakeDueStatement(context, waits).execute();
  return probes.length;
}

/** The first name in the order of bytes after all names with `KEPT_PREFIX`. */
export const AFTER_KEPT = "stream!";
/** A name after all names of services. */
const AFTER_ALL = "~";

/**
 * Implements `DeliveryStore.listAwaitedServices`. The query skips through the index from name to name, first before and
 * then after the names of devices that fetch their messages, and does not read every wait.
 */
export async function listAwaitedServices(
  { database: { db } }: Context,
  max: number,
): Promise<readonly string[]> {
  const query = sql<{ service: string }>`
    with recursive step (service, upper) as (
      select min(service), ${sql.lit(KEPT_PREFIX)} from send_job_wait where service < ${sql.lit(KEPT_PREFIX)}
      union all
      select min(service), ${sql.lit(AFTER_ALL)} from send_job_wait where service >= ${sql.lit(AFTER_KEPT)}
      union all
      select (select min(next.service) from send_job_wait as next
        where next.service > step.service and next.service < step.upper), step.upper
      from step where step.service is not null
    )
    select service from step where service is not null limit ${sql.lit(max)}`;
  const { rows } = await query.execute(db);
  return rows.map(({ service }) => service);
}

function countWaitingDevices(pending: string | null, service: string): number {
  const devices = pending === null ? [] : decodePending(pending);
  return Math.max(1, devices.filter(({ waitsFor }) => waitsFor?.service === service).length);
}

/**
 * Returns the statement that makes jobs without a lease due, and returns them. It locks the jobs in the same order as settlements, so
 * that nodes cannot deadlock.
 */
export function createMakeDueStatement(
  { database: { db, engine }, now }: Context,
  jobIds: Expression<{ job_id: string }>,
) {
  const at = now();
  const waiting = db
    .selectFrom("send_job")
    .select("id")
    .where("owner", "=", "")
    .where("run_at", ">", at)
    .where(engine.isOneOf("id", jobIds))
    .orderBy("id");
  const locked = engine.lockRows === null ? waiting : waiting.modifyEnd(engine.lockRows);
  return db
    .updateTable("send_job")
    .set({ run_at: at })
    .where(engine.isOneOf("id", locked))
    .returning("id");
}
