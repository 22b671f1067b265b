import type { IncidentState } from "@tocsin/sdk";
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
