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

/**
 * Returns the limit on the open questions of a source. Without its lock, questions that are asked at once would not
 * count each other.
 */
export function limitOpenQuestions(
  { database: { db, engine } }: Context,
  { source, max }: { readonly source: IncidentSource; readonly max: number },
): OpenLimit {
  const lock = engine.lockName(`questions of ${source.id}`);
  return {
    statements: [{ compile: () => lock.compile(db) }],
    condition: sql<boolean>`(select count(*) from incident where source_id = ${source.id}
      and closed_at is null and question is not null) < ${max}`,
  };
}
