import type { Context } from "#context.ts";

/** Returns how many jobs wait for each service, by its name; a job may wait for several. */
export async function countWaiting({
  database: { db },
}: Context): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("send_job_wait")
    .innerJoin("send_job", "send_job.id", "send_job_wait.job_id")
    .select(({ fn }) => ["service", fn.countAll().as("count")])
    .groupBy("service")
    .execute();
  return new Map(rows.map(({ service, count }) => [service, Number(count)]));
}
