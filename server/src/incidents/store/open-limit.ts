import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Condition } from "#database/insert-under.ts";
import type { IncidentSource } from "../incident.ts";

/** A limit on open incidents, for the transaction that opens one. */
export interface OpenLimit {
  /** The first statements of the transaction. */
  readonly statements: readonly Compilable[];
  /** Holds if one more may be open. */
  readonly condition: Condition;
}

/** The incidents that count towards a limit of their source: only those that ask a question, or only the others. */
export interface CountedIncidents {
  readonly source: IncidentSource;
  readonly hasQuestion: boolean;
}

/** Returns the number of open incidents of a source that count. */
export async function countOpenIncidents(
  { database: { db } }: Context,
  counted: CountedIncidents,
): Promise<number> {
  const { rows } = await selectCount(counted).execute(db);
  return Number(rows[0]?.count ?? 0);
}

/**
 * Returns the limit on the open incidents of a source. Without its lock, simultaneous sends would not count each other.
 */
export function limitOpenIncidents(
  { database: { db, engine } }: Context,
  { max, ...counted }: CountedIncidents & { readonly max: number },
): OpenLimit {
  const lock = engine.lockName(
    `${counted.hasQuestion ? "questions" : "incidents"} of ${counted.source.id}`,
  );
  return {
    statements: [{ compile: () => lock.compile(db) }],
    condition: sql<boolean>`(${selectCount(counted)}) < ${max}`,
  };
}

/**
 * An incident without a key does not count once it is acknowledged or has expired, because no trigger can make it ring
 * again. Both engines use the indexes of the open incidents only for exactly these conditions.
 */
function selectCount({ source, hasQuestion }: CountedIncidents) {
  const isCounted = hasQuestion
    ? sql`question is not null`
    : sql`question is null and (incident_key is not null or state = 'triggered')`;
  return sql<{ readonly count: number | string }>`select count(*) as count from incident
    where source_id = ${source.id} and closed_at is null and ${isCounted}`;
}
