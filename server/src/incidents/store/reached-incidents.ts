import { sql, type Expression, type SqlBool } from "kysely";
import type { Context } from "#context.ts";
import type { IncidentState } from "@tocsin/sdk";
import type { Incident } from "../incident.ts";
import { toIncident } from "./rows.ts";

/** A page of the incidents that a person was told of, the newest first. */
export interface IncidentPage {
  readonly accountId: string;
  /** The person's teams. */
  readonly teamIds: readonly string[];
  /** Whether the page has only incidents that ask a question; otherwise, it has only the others. */
  readonly hasQuestion: boolean;
  /** Only incidents in these states; all of them if it is null. */
  readonly states: readonly IncidentState[] | null;
  /** The id after which the page begins; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
  /** A further condition on the incident, whose row has the alias `owned`. */
  readonly condition?: Expression<SqlBool>;
}

/**
 * Returns the incidents of which a person was told, if the person still belongs to an audience that was told, the newest
 * first.
 */
export async function listReachedIncidents(
  { database: { db } }: Context,
  { accountId, teamIds, hasQuestion, states, after, limit, condition }: IncidentPage,
): Promise<readonly Incident[]> {
  const isOpen = states !== null && !states.includes("resolved");
  let told = db
    .selectFrom("incident_audience")
    .innerJoin("incident as owned", "owned.id", "incident_audience.incident_id")
    .select("incident_audience.incident_id")
    .where("incident_audience.audience_id", "in", [accountId, ...teamIds])
    .where("owned.question", hasQuestion ? "is not" : "is", null)
    .where(reachesPerson(teamIds));
  if (after !== null) told = told.where("incident_audience.incident_id", "<", after);
  if (isOpen) told = told.where("incident_audience.closed_at", "is", null);
  if (states !== null) told = told.where("owned.state", "in", states);
  if (condition !== undefined) told = told.where(condition);
  const ids = told.distinct().orderBy("incident_audience.incident_id", "desc").limit(limit);
  const rows = await db
    .selectFrom("incident")
    .selectAll()
    .where("id", "in", ids)
    .orderBy("id", "desc")
    .execute();
  return rows.map(toIncident);
}

/** An incident of a team reaches a person whom its policy names only while the person is in the team. */
function reachesPerson(teamIds: readonly string[]): Expression<SqlBool> {
  const teams = teamIds.length === 0 ? sql`('')` : sql`(${sql.join(teamIds)})`;
  return sql<SqlBool>`(incident_audience.audience_kind = 'team'
    or owned.owner_team_id is null or owned.owner_team_id in ${teams})`;
}
