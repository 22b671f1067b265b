import { sql } from "kysely";
import type { Context } from "#context.ts";

/** A key's use on one node since its last report, in requests. */
export interface RateUse {
  readonly key: string;
  readonly used: number;
}

/** Adds uses to the shared levels, which drain at `perSecond`; returns the new level of each key. */
export async function addUses(
  { database: { db }, now }: Context,
  { uses, perSecond }: { readonly uses: readonly RateUse[]; readonly perSecond: number },
): Promise<ReadonlyMap<string, number>> {
  // The same order on every node prevents deadlocks.
  const ordered = uses.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const rows = ordered.map(({ key, used }) => sql`(${key}::text, ${used}::double precision)`);
  const query = sql<{ key: string; level: number }>`
    insert into rate_bucket as bucket (key, level, at)
    select use.key, use.used, ${now()}::bigint from (values ${sql.join(rows)}) as use (key, used)
    on conflict (key) do update set
      level = greatest(0, bucket.level - greatest(0, excluded.at - bucket.at) * ${perSecond / 1_000}::double precision)
        + excluded.level,
      at = excluded.at
    returning key, level`;
  const { rows: levels } = await query.execute(db);
  return new Map(levels.map(({ key, level }) => [key, level]));
}

/** Deletes keys that were not used for `idleMs`. */
export async function deleteIdleKeys(
  { database: { db }, now }: Context,
  idleMs: number,
): Promise<void> {
  await sql`delete from rate_bucket where at < ${now() - Math.ceil(idleMs)}::bigint`.execute(db);
}
