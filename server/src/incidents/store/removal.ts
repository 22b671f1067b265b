import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { removeTimersQuery } from "#timers/store.ts";
import { INCIDENT_TIMERS } from "../incident-timers.ts";

/**
 * Deletes up to `limit` incidents that are closed, or were triggered last, before a time in milliseconds since the epoch;
 * never one that rings. Returns how many.
 */
export async function removeOldIncidents(
  context: Context,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<number> {
  const { db } = context.database;
  const rows = await db
    .selectFrom("incident")
    .select("id")
    .where("last_trigger_at", "<", before)
    .where("expires_at", "is", null)
    .where((eb) => eb.or([eb("closed_at", "is", null), eb("closed_at", "<", before)]))
    .orderBy("last_trigger_at")
    .limit(limit)
    .execute();
  await removeIncidents(
    context,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/** Deletes up to `limit` incidents that an account's own keys or the account itself opened; returns how many. */
export async function removeIncidentsOfAccount(
  context: Context,
  { accountId, limit }: { readonly accountId: string; readonly limit: number },
): Promise<number> {
  const rows = await context.database.db
    .selectFrom("incident")
    .select("id")
    .where("owner_account_id", "=", accountId)
    .where("owner_team_id", "is", null)
    .limit(limit)
    .execute();
  await removeIncidents(
    context,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

async function removeIncidents(context: Context, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { database } = context;
  const timers: readonly Compilable[] = ids.map((subjectId) =>
    removeTimersQuery(context, { subjectId, kinds: INCIDENT_TIMERS }),
  );
  await database.atomically([...timers, database.db.deleteFrom("incident").where("id", "in", ids)]);
}
