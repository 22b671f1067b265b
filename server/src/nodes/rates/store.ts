import { sql } from "kysely";
import type { Context } from "#context.ts";

/** The usage of a key on one node since its last report, in requests. */
export interface RateUsage {
  readonly key: string;
  readonly used: number;
}

/**
 * Adds usage to the shared leaky buckets, which drain at `perSecond` requests a second; returns the new level of each
 * key.
 */
export async function addUsage(
  { database: { db }, now }: Context,
  { usage, perSecond }: { readonly usage: readonly RateUsage[]; readonly perSecond: number },
): Promise<ReadonlyMap<string, number>> {
  // The same order on every node prevents deadlocks.
  const ordered = usage.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const rows = ordered.map(({ key, used }) => sql`(${key}::text, ${used}::double precision)`);
  const query = sql<{ key: string; level: number }>`
    insert into rate_bucket as bucket (key, level, at)
    select usage.key, usage.used, ${now()}::bigint from (values ${sql.join(rows)}) as usage (key, used)
    on conflict (key) do update set
      level = greatest(0, bucket.level - greatest(0, excluded.at - bucket.at) * ${perSecond / 1_000}::double precision)
        + excluded.level,
      at = excluded.at
    returning key, level`;
  const { rows: levels } = await query.execute(db);
  return new Map(levels.map(({ key, level }) => [key, level]));
}

/** Deletes the buckets of keys that were not used for `idleMs`. */
export async function deleteIdleBuckets(
  { database: { db }, now }: Context,
  idleMs: number,
): Promise<void> {
  await sql`delete from rate_bucket where at < ${now() - Math.ceil(idleMs)}::bigint`.execute(db);
}
