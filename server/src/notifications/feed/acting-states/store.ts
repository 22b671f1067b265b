import type { IncidentState, PromptState } from "@tocsin/sdk";
import type { Context } from "#context.ts";

/** Returns the states of at most 500 incidents by id. The room of incidents writes them. */
export async function findIncidentStates(
  { database: { db } }: Context,
  incidentIds: readonly string[],
): Promise<ReadonlyMap<string, IncidentState>> {
  if (incidentIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("incident")
    .select(["id", "state"])
    .where("id", "in", incidentIds)
    .execute();
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** Returns the states of at most 500 prompts by id. The room of prompts writes them. */
export async function findPromptStates(
  { database: { db } }: Context,
  promptIds: readonly string[],
): Promise<ReadonlyMap<string, PromptState>> {
  if (promptIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("prompt")
    .select(["id", "state"])
    .where("id", "in", promptIds)
    .execute();
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** A notification of an incident, and the feeds in which to look for the incident's line. */
export interface IncidentLineQuery {
  readonly notificationId: string;
  /** The ids of the feeds. */
  readonly audienceIds: readonly string[];
}

/** Returns the ids of the current lines of a notification's incident in some feeds, the newest first. */
export async function listIncidentLineIds(
  { database: { db } }: Context,
  { notificationId, audienceIds }: IncidentLineQuery,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("notification")
    .innerJoin("incident_audience", "incident_audience.incident_id", "notification.incident_id")
    .select("incident_audience.feed_notification_id as id")
    .where("notification.id", "=", notificationId)
    .where("incident_audience.audience_id", "in", audienceIds)
    .where("incident_audience.feed_notification_id", "is not", null)
    .distinct()
    .orderBy("incident_audience.feed_notification_id", "desc")
    .execute();
  return rows.flatMap(({ id }) => id ?? []);
}
