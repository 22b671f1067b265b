import type { IncidentState, PromptState } from "@tocsin/sdk";
import type { Context } from "#context.ts";

/** Returns the states of at most 500 incidents by id. The incidents room writes them. */
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

/** Returns the states of at most 500 prompts by id. The prompts room writes them. */
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

/** A notification of an incident or a prompt, and the feeds to search for its current entry. */
export interface InteractionEntryQuery {
  readonly notificationId: string;
  /** The ids of the feeds. */
  readonly audienceIds: readonly string[];
}

/**
 * Returns the ids of the notifications that are now the entries of the same incident or prompt in these feeds, newest
 * first.
 */
export async function listInteractionEntryIds(
  { database: { db } }: Context,
  { notificationId, audienceIds }: InteractionEntryQuery,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("notification")
    .innerJoin("incident_audience", (join) =>
      join.on((eb) =>
        // A prompt has the same id as its incident.
        eb(
          "incident_audience.incident_id",
          "=",
          eb.fn.coalesce("notification.incident_id", "notification.prompt_id"),
        ),
      ),
    )
    .select("incident_audience.feed_notification_id as id")
    .where("notification.id", "=", notificationId)
    .where("incident_audience.audience_id", "in", audienceIds)
    .where("incident_audience.feed_notification_id", "is not", null)
    .distinct()
    .orderBy("incident_audience.feed_notification_id", "desc")
    .execute();
  return rows.flatMap(({ id }) => id ?? []);
}
