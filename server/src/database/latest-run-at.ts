import { sql } from "kysely";

/**
 * Returns the latest time at which a row may run next, as an expression on its column `attempts`:
 * `waitsMaxMs[attempts]` after `time`, and `otherwiseMs` after it for more attempts. All times are in milliseconds.
 */
export function latestRunAt(time: number, waitsMaxMs: readonly number[], otherwiseMs: number) {
  const cases = waitsMaxMs.map((ms, attempts) => sql`when ${attempts} then ${time + ms}`);
  return sql<number>`cast(case attempts ${sql.join(cases, sql` `)} else ${time + otherwiseMs} end as bigint)`;
}
