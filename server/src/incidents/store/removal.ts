import { sql, type Expression, type ExpressionBuilder, type SqlBool } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { removeTimersQuery } from "#timers/store.ts";
import { INCIDENT_TIMERS } from "../incident-timers.ts";

/** The timers of incidents, and of the prompts that some of them carry. */
const TIMERS = [...INCIDENT_TIMERS, "prompt_expire"] as const;

type IncidentCondition = (eb: ExpressionBuilder<Schema, "incident">) => Expression<SqlBool>;

/**
 * Deletes up to `limit` incidents that are closed, or were triggered last, before a time in milliseconds since the epoch;
 * never one that rings, or a question that waits for its end. Returns how many it found.
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

/** Deletes up to `limit` incidents that an account's own keys or the account itself opened; returns how many it found. */
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
 * Returns the statements that delete the open incidents of a team, with their timers, in the transaction that ends the
 * team: nobody is left whom they could tell.
 */
export function endTeamIncidentsQueries(
  { database: { db } }: Context,
  teamId: string,
): readonly Compilable[] {
  return [
    db.deleteFrom("incident").where("owner_team_id", "=", teamId).where("closed_at", "is", null),
    db
      .deleteFrom("timer")
      .where("kind", "in", TIMERS)
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

/** The condition that a team has ended: nobody is in it. */
const hasEnded: IncidentCondition = (eb) =>
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
    .where(hasEnded)
    .limit(limit)
    .execute();
  await removeIncidents(context, { ids: rows.map(({ id }) => id), condition: hasEnded });
  return rows.length;
}

/**
 * Deletes incidents that still fulfil the condition, for one may ring again since it was found. The incidents go before
 * their timers, because a change locks in this order as well: in the reverse order, PostgreSQL would find a deadlock.
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
      removeTimersQuery(context, { subjectId, kinds: TIMERS }, isMissing(subjectId)),
    ),
  ]);
}

function isMissing(incidentId: string) {
  return sql<boolean>`not exists (select 1 from incident where id = ${incidentId})`;
}
