import { sql } from "kysely";
import type { Context } from "#context.ts";
import { eventually } from "./eventually.ts";

const WAITING = sql<{ count: number }>`select count(*) as count from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/** Resolves once so many transactions on this PostgreSQL database wait for others. */
export async function untilWaiting({ database: { db } }: Context, count = 1): Promise<void> {
  await eventually(
    async () => (await WAITING.execute(db)).rows[0]?.count,
    (found) => found === count,
  );
}
