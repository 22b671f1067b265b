import { sql } from "kysely";
import type { Context } from "#context.ts";

/** The limit of one key. Each attempt uses `intervalMs` of the window of `windowMs`, which refills as time passes. */
export interface AttemptWindow {
  readonly key: string;
  readonly intervalMs: number;
  readonly windowMs: number;
}

/** Counts an attempt if the limit allows it and returns null; otherwise returns the wait in milliseconds. */
export async function countAttempt(
  { database: { db }, now }: Context,
  { key, intervalMs, windowMs }: AttemptWindow,
): Promise<number | null> {
  const nowSql = sql`${now()}::double precision`;
  const next = sql`greatest(${nowSql}, try_limit.rested_at) + ${intervalMs}::double precision`;
  const { rows } = await sql<{ is_counted: boolean; wait: number | null }>`
    with counted as (
      insert into try_limit (key, rested_at) values (${key}, ${nowSql} + ${intervalMs}::double precision)
      on conflict (key) do update set rested_at = ${next}
        where ${next} <= ${nowSql} + ${windowMs}::double precision
      returning key
    )
    select exists (select from counted) as is_counted,
      (select ${next} - ${nowSql} - ${windowMs}::double precision from try_limit where key = ${key}) as wait`.execute(
    db,
  );
  const [row] = rows;
  if (row?.is_counted === true) return null;
  // A concurrent attempt of another process may have caused the refusal without being visible here.
  return Math.max(row?.wait ?? 0, 1);
}

/** Subtracts one counted attempt. */
export async function uncountAttempt(
  { database: { db } }: Context,
  { key, intervalMs }: Pick<AttemptWindow, "key" | "intervalMs">,
): Promise<void> {
  await sql`update try_limit set rested_at = rested_at - ${Math.round(intervalMs)}::bigint where key = ${key}`.execute(
    db,
  );
}

/** Deletes keys whose attempts no longer count. */
export async function deleteIdleCounters({ database: { db }, now }: Context): Promise<void> {
  await sql`delete from try_limit where rested_at < ${now()}::bigint`.execute(db);
}
