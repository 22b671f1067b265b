import { sql, type Expression, type ExpressionBuilder, type SqlBool } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { removeTimersQuery } from "#timers/store.ts";
import { INCIDENT_TIMER_KINDS } from "../incident-timers.ts";

/** The kinds of timers of incidents, and of the prompts that some of them carry. */
const TIMER_KINDS = [...INCIDENT_TIMER_KINDS, "prompt_expire"] as const;

type IncidentCondition = (eb: ExpressionBuilder<Schema, "incident">) => Expression<SqlBool>;

/**
 * Deletes up to `limit` incidents that were last triggered, and closed if they are closed, before a time in
 * milliseconds since the epoch. Never deletes one that rings, or an open question. Returns how many it found.
 */
export async function removeOldIncidents(
  context: Context,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<number> {
  const isOld: IncidentCondition = (eb) =>
    eb.and([
      eb("last_trigger_at", "<", before),
      eb("expires_at", "is", null),
      eb.or([
        eb.and([eb("closed_at", "is", null), eb("question", "is", null)]),
        eb("closed_at", "<", before),
      ]),
    ]);
  const rows = await context.database.db
    .selectFrom("incident")
    .select("id")
    .where(isOld)
    .orderBy("last_trigger_at")
    .limit(limit)
    .execute();
  await removeIncidents(context, { ids: rows.map(({ id }) => id), condition: isOld });
  return rows.length;
}

/** Deletes up to `limit` incidents that an account or its own keys opened; returns how many it found. */
export async function removeIncidentsOfAccount(
  context: Context,
  { accountId, limit }: { readonly accountId: string; readonly limit: number },
): Promise<number> {
  const isOwn: IncidentCondition = (eb) =>
    eb.and([eb("owner_account_id", "=", accountId), eb("owner_team_id", "is", null)]);
  const rows = await context.database.db
    .selectFrom("incident")
    .select("id")
    .where(isOwn)
    .limit(limit)
    .execute();
  await removeIncidents(context, { ids: rows.map(({ id }) => id), condition: isOwn });
  return rows.length;
}

/**
 * Returns the statements that delete the open incidents of a team with their timers, for the transaction that deletes
 * the team: nobody is left to tell.
 */
export function endTeamIncidentsQueries(
  { database: { db } }: Context,
  teamId: string,
): readonly Compilable[] {
  return [
    db.deleteFrom("incident").where("owner_team_id", "=", teamId).where("closed_at", "is", null),
    db
      .deleteFrom("timer")
      .where("kind", "in", TIMER_KINDS)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom("incident")
              .select("incident.id")
              .whereRef("incident.id", "=", "timer.subject_id"),
          ),
        ),
      ),
  ];
}

/** The condition that the team of an incident has ended: it has no members any more. */
const isOfEndedTeam: IncidentCondition = (eb) =>
  eb.and([
    eb("owner_team_id", "is not", null),
    eb.not(
      eb.exists(
        eb
          .selectFrom("team_member")
          .select("team_member.id")
          .whereRef("team_member.team_id", "=", "incident.owner_team_id")
          .where("team_member.left_at", "is", null),
      ),
    ),
  ]);

/** Deletes up to `limit` incidents of teams that have ended; returns how many it found. */
export async function removeIncidentsOfEndedTeams(
  context: Context,
  limit: number,
): Promise<number> {
  const rows = await context.database.db
    .selectFrom("incident")
    .select("id")
    .where(isOfEndedTeam)
    .limit(limit)
    .execute();
  await removeIncidents(context, { ids: rows.map(({ id }) => id), condition: isOfEndedTeam });
  return rows.length;
}

/**
 * Deletes the incidents that still meet the condition: one of them may have begun to ring again since it was found. The
 * incidents go before their timers, because a change locks in this order as well: in the reverse order, PostgreSQL would
 * find a deadlock.
 */
async function removeIncidents(
  context: Context,
  { ids, condition }: { readonly ids: readonly string[]; readonly condition: IncidentCondition },
): Promise<void> {
  if (ids.length === 0) return;
  const { database } = context;
  await database.atomically([
    database.db.deleteFrom("incident").where("id", "in", ids).where(condition),
    ...ids.map((subjectId) =>
      removeTimersQuery(context, { subjectId, kinds: TIMER_KINDS }, isMissing(subjectId)),
    ),
  ]);
}

function isMissing(incidentId: string) {
  return sql<boolean>`not exists (select 1 from incident where id = ${incidentId})`;
}
