import { sql, type Selectable } from "kysely";
import type { Context } from "#context.ts";
import { bigint, text } from "#database/compiled-once.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { countByKey, dayOf } from "../result/activity.ts";
import type { Settlement } from "./delivery-store.ts";

/** Maximum of counts in a statement: each has nine values, and SQLite accepts at most 32,766. */
const COUNTS_PER_STATEMENT_MAX = 2_000;

/** Returns the queries that count the results of settlements whose leases hold, with one row for equal outcomes. */
export function countResults(
  { database: { db }, now, newId }: Context,
  batch: readonly Settlement[],
): readonly Compilable[] {
  const rows = batch.flatMap(({ id, lease: { jobId, epoch }, notificationId, results }) =>
    [...countByKey(notificationId, results)].map(
      ([[provider, state, code, pace], count]) => sql`(${text(jobId)}, ${bigint(epoch)},
        ${text(notificationId)}, ${text(provider)}, ${text(state)}, ${text(code)},
        ${bigint(pace)}, ${bigint(count)}, ${text(id)})`,
    ),
  );
  const ids = batch.map(({ notificationId }) => notificationId).toSorted();
  const queries: Compilable[] = [];
  for (let start = 0; start < rows.length; start += COUNTS_PER_STATEMENT_MAX) {
    const query = sql`
      insert into activity_tally (id, day, audience_id, provider, state, code, pace, count)
      select ${text(`${newId()}-`)} || row_number() over (), ${bigint(dayOf(now()))},
        notification.audience_id, ended.column4, ended.column5, ended.column6, ended.column7,
        sum(ended.column8)
      from (values ${sql.join(rows.slice(start, start + COUNTS_PER_STATEMENT_MAX))}) as ended
      join send_job on send_job.id = ended.column1 and send_job.epoch = ended.column2
      join notification on notification.id = ended.column3
      -- PostgreSQL looks into the days of these notifications alone.
      where notification.id >= ${text(ids[0] ?? "")} and notification.id <= ${text(ids.at(-1) ?? "")}
        and not exists (select 1 from delivery_page as known
          where known.notification_id = ended.column3 and known.id = ended.column9
            and known.notification_id >= ${text(ids[0] ?? "")}
            and known.notification_id <= ${text(ids.at(-1) ?? "")})
      group by notification.audience_id, ended.column4, ended.column5, ended.column6, ended.column7`;
    queries.push({ compile: () => query.compile(db) });
  }
  return queries;
}

/** Adds at most `max` tallied counts to the daily counts, and returns how many it added. */
export async function addUp({ database }: Context, max: number): Promise<number> {
  const { engine } = database;
  return database.transaction(async (db) => {
    const oldest = db
      .selectFrom("activity_tally")
      .select("id")
      .orderBy("id")
      .limit(max)
      .modifyEnd(engine.skipLocked);
    const counts = await db
      .deleteFrom("activity_tally")
      .where(engine.isOneOf("id", oldest))
      .returning(["audience_id", "day", "provider", "state", "code", "pace", "count"])
      .execute();
    if (counts.length > 0) {
      await db
        .insertInto("activity")
        .values(addAlike(counts))
        .onConflict((conflict) =>
          conflict
            .columns(["audience_id", "day", "provider", "state", "code", "pace"])
            .doUpdateSet({ count: sql`activity.count + excluded.count` }),
        )
        .execute();
    }
    return counts.length;
  });
}

type OutcomeCountRow = Selectable<Schema["activity"]>;

/** Sums up counts with the same key. Sorts the keys, so that all nodes lock rows in the same order and cannot deadlock. */
function addAlike(counts: readonly OutcomeCountRow[]): readonly OutcomeCountRow[] {
  const sums = new Map<string, OutcomeCountRow>();
  for (const count of counts) {
    const { audience_id, day, provider, state, code, pace } = count;
    const key = [audience_id, day, provider, state, code, pace].join(" ");
    const sum = sums.get(key);
    sums.set(key, { ...count, count: count.count + (sum?.count ?? 0) });
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
