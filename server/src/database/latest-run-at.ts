import { sql } from "kysely";

/**
 * Returns the latest time at which a row may run next, as an expression on the row's column `attempts`:
 * `time + waitsMaxMs[attempts]`, or `time + otherwiseMs` for more attempts than `waitsMaxMs` has entries. `time` is in
 * milliseconds since the epoch.
 */
export function selectLatestRunAt(
  time: number,
  waitsMaxMs: readonly number[],
  otherwiseMs: number,
) {
  const cases = waitsMaxMs.map((ms, attempts) => sql`when ${attempts} then ${time + ms}`);
  return sql<number>`cast(case attempts ${sql.join(cases, sql` `)} else ${time + otherwiseMs} end as bigint)`;
}
