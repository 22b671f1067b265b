import { sql } from "kysely";
import type { Context } from "#context.ts";
import { KEPT_PREFIX } from "#delivery/delivery.ts";
import { AFTER_KEPT, createMakeDueStatement, endWaitsQueries } from "#delivery/store/waiting.ts";
import { parseIdTime, toMinId } from "#ids.ts";

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
    where send_job_wait.service >= ${sql.lit(KEPT_PREFIX)} and send_job_wait.service < ${sql.lit(AFTER_KEPT)}
      and mailbox.taken_at is not null
    limit ${sql.lit(APPS_MAX)}`;
  const { rows } = await query.execute(database.db);
  if (rows.length === 0) return false;
  const services = rows.map(({ service }) => service);
  await database.atomically(endWaitsQueries(context, services));
  return true;
}

/** The longest time by which another node's clock is behind, in milliseconds. */
const CLOCK_MARGIN_MS = 60_000;

/**
 * Makes the jobs due that wait until an app fetches a notification of an incident, or of the prompt with the same id. The
 * waits stay. Returns whether there were any.
 */
export async function makeJobsOfIncidentDue(
  context: Context,
  incidentId: string,
): Promise<boolean> {
  const { db } = context.database;
  const oldestId = toMinId(Math.max(0, parseIdTime(incidentId) - CLOCK_MARGIN_MS));
  const audienceIds = db
    .selectFrom("incident_audience")
    .select("audience_id")
    .where("incident_id", "=", incidentId);
  const jobs = selectWaitingJobs(context)
    .where("notification.audience_id", "in", audienceIds)
    .where("notification.id", ">=", oldestId)
    .where((eb) =>
      eb.or([
        eb("notification.incident_id", "=", incidentId),
        eb("notification.prompt_id", "=", incidentId),
      ]),
    );
  return (await createMakeDueStatement(context, jobs).execute()).length > 0;
}

/**
 * Makes the jobs due that wait although somebody has acted on their incident: a process may have died between the act
 * and its consequences. Returns whether there were any.
 */
export async function makeJobsOfActedIncidentsDue(context: Context): Promise<boolean> {
  const jobs = selectWaitingJobs(context)
    .innerJoin("incident", (join) =>
      join.on(
        sql<boolean>`incident.id = coalesce(notification.incident_id, notification.prompt_id)`,
      ),
    )
    .where("incident.state", "in", ["acknowledged", "resolved"])
    .limit(APPS_MAX);
  return (await createMakeDueStatement(context, jobs).execute()).length > 0;
}

/** Selects the jobs that wait until an app fetches a notification that asks for an act. */
function selectWaitingJobs({ database: { db } }: Context) {
  return db
    .selectFrom("send_job_wait")
    .innerJoin("send_job as job", "job.id", "send_job_wait.job_id")
    .innerJoin("notification", "notification.id", "job.notification_id")
    .select("send_job_wait.job_id")
    .where("send_job_wait.service", ">=", KEPT_PREFIX)
    .where("send_job_wait.service", "<", AFTER_KEPT)
    .where("notification.cause", "is not", null);
}
