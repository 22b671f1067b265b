import type { IncidentState } from "@tocsin/sdk";
import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { Incident, IncidentSource } from "../incident.ts";
import type { ToldAudience } from "../told-audience.ts";
import { toAudience, toIncident } from "./rows.ts";

/** Returns an incident; null if there is none. */
export async function findIncident(
  { database: { db } }: Context,
  incidentId: string,
): Promise<Incident | null> {
  const row = await db
    .selectFrom("incident")
    .selectAll()
    .where("id", "=", incidentId)
    .executeTakeFirst();
  return row === undefined ? null : toIncident(row);
}

/** An incident key, by its hash, as a source uses it. */
interface SourceKey {
  readonly source: IncidentSource;
  readonly keyHash: string;
}

/** Returns the open incident of a source with a key; null if there is none. */
export async function findOpenIncident(
  { database: { db } }: Context,
  key: SourceKey,
): Promise<Incident | null> {
  const row = await selectByKey(db, key).where("closed_at", "is", null).executeTakeFirst();
  return row === undefined ? null : toIncident(row);
}

/** Returns the latest incident of a source with a key, open or not; null if there is none. */
export async function findLatestIncident(
  { database: { db } }: Context,
  key: SourceKey,
): Promise<Incident | null> {
  const row = await selectByKey(db, key).orderBy("id", "desc").limit(1).executeTakeFirst();
  return row === undefined ? null : toIncident(row);
}

/**
 * Returns the incident to which a trigger with a key belongs: the one whose text is the trigger's notification, or the
 * latest one that was open before the trigger came; null if there is none.
 */
export async function findTriggeredIncident(
  { database: { db } }: Context,
  { notificationId, ...key }: SourceKey & { readonly notificationId: string },
): Promise<Incident | null> {
  const row = await selectByKey(db, key)
    .where((eb) =>
      eb.or([eb("id", "<", notificationId), eb("notification_id", "=", notificationId)]),
    )
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : toIncident(row);
}

/**
 * Returns the incident of a source whose text is a notification; null if there is none. Reads all incidents of the
 * source: no index has their texts.
 */
export async function findIncidentByText(
  { database: { db } }: Context,
  { source, notificationId }: { readonly source: IncidentSource; readonly notificationId: string },
): Promise<Incident | null> {
  const row = await db
    .selectFrom("incident")
    .selectAll()
    .where("source_id", "=", source.id)
    .where("notification_id", "=", notificationId)
    .executeTakeFirst();
  return row === undefined ? null : toIncident(row);
}

function selectByKey(db: Kysely<Schema>, { source, keyHash }: SourceKey) {
  return db
    .selectFrom("incident")
    .selectAll()
    .where("source_id", "=", source.id)
    .where("key_hash", "=", keyHash);
}

/** Returns the audiences that were told of an incident, in the order in which they were first told. */
export async function listToldAudiences(
  { database: { db } }: Context,
  incidentId: string,
): Promise<readonly ToldAudience[]> {
  const rows = await db
    .selectFrom("incident_audience")
    .selectAll()
    .where("incident_id", "=", incidentId)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    audience: toAudience(row),
    step: row.step,
    reach: row.reach,
    feedNotificationId: row.feed_notification_id,
  }));
}

/** Returns whether every audience to which an incident was pushed is too large to ring; false if there is none. */
export async function hasOnlyTooLargeAudiences(
  context: Context,
  incidentId: string,
): Promise<boolean> {
  const told = await listToldAudiences(context, incidentId);
  return told.some(({ reach }) => reach === "told") && !told.some(({ reach }) => reach === "rung");
}

/** Returns the number of open incidents by state, without incidents that ask a question. */
export async function countIncidentsByState({
  database: { db },
}: Context): Promise<ReadonlyMap<IncidentState, number>> {
  const rows = await db
    .selectFrom("incident")
    .select(({ fn }) => ["state", fn.countAll().as("count")])
    .where("closed_at", "is", null)
    .where("question", "is", null)
    .groupBy("state")
    .execute();
  return new Map(rows.map(({ state, count }) => [state, Number(count)]));
}
