import { sql } from "kysely";
import type { Context } from "#context.ts";
import { eventually } from "./eventually.ts";

const COUNT_WAITING = sql<{ count: number }>`select count(*) as count from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/** Resolves when `count` transactions on this PostgreSQL database wait for locks. */
export async function waitForLockWaiters({ database: { db } }: Context, count = 1): Promise<void> {
  await eventually(
    async () => (await COUNT_WAITING.execute(db)).rows[0]?.count,
    (waiting) => waiting === count,
  );
}
