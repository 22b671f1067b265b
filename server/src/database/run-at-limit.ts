import { sql } from "kysely";

/**
 * Returns an SQL expression for the largest plausible `run_at` of a row: `now`, in milliseconds since the epoch, plus the
 * longest wait after the row's number of `attempts`. That wait is `waitsMaxMs[attempts]`, or `furtherWaitMaxMs` if
 * `waitsMaxMs` has no such entry. A later `run_at` was planned while the clock was ahead.
 */
export function selectRunAtMax(
  now: number,
  waitsMaxMs: readonly number[],
  furtherWaitMaxMs: number,
) {
  const cases = waitsMaxMs.map((ms, attempts) => sql`when ${attempts} then ${now + ms}`);
  return sql<number>`cast(case attempts ${sql.join(cases, sql` `)} else ${now + furtherWaitMaxMs} end as bigint)`;
}
