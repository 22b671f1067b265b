import { sql } from "kysely";
import type { Context } from "#context.ts";
import { KEPT_PREFIX } from "#delivery/delivery.ts";
import { endWaitsQueries } from "#delivery/store/waiting.ts";

/** The first string after all services that begin with `KEPT_PREFIX`. */
const KEPT_END = "stream!";

/** Maximum number of apps whose waits one call ends. */
const APPS_MAX = 10_000;

/**
 * Makes the jobs due that wait for an app although it has their message: a process may have died between the proof and
 * the record of the wait. Returns whether there were any.
 */
export async function endWaitsOfFetched(context: Context): Promise<boolean> {
  const { database } = context;
  const deviceId = sql`substr(send_job_wait.service, ${sql.lit(KEPT_PREFIX.length + 1)})`;
  const query = sql<{ service: string }>`
    select distinct send_job_wait.service from send_job_wait
    inner join send_job on send_job.id = send_job_wait.job_id
    inner join mailbox on mailbox.notification_id = send_job.notification_id
      and mailbox.device_id = ${deviceId}
    where send_job_wait.service >= ${sql.lit(KEPT_PREFIX)} and send_job_wait.service < ${sql.lit(KEPT_END)}
      and mailbox.taken_at is not null
    limit ${sql.lit(APPS_MAX)}`;
  const { rows } = await query.execute(database.db);
  if (rows.length === 0) return false;
  const services = rows.map(({ service }) => service);
  await database.atomically(endWaitsQueries(context, services));
  return true;
}
