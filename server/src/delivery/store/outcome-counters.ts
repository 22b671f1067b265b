import { sql, type Selectable } from "kysely";
import type { Context } from "#context.ts";
import { castToBigint, castToText, compileOncePerRowCount } from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { countResultsByKey, toDay } from "../result/activity.ts";
import type { Settlement } from "./delivery-store.ts";

/** Maximum number of counts in a statement: each has nine values, and SQLite accepts at most 32,766. */
const COUNTS_PER_STATEMENT_MAX = 2_000;

/** Returns the queries that count the results of settlements whose leases hold, with one row for equal outcomes. */
export function createCountStatements(
  { database: { db }, now, newId }: Context,
  batch: readonly Settlement[],
): readonly Compilable[] {
  const ids = batch.map(({ notificationId }) => notificationId).toSorted();
  const firstId = ids[0] ?? "";
  const lastId = ids.at(-1) ?? "";
  const range = { firstId, lastId, day: toDay(now()) };
  const counts = batch.flatMap(({ id: pageId, lease: { jobId, epoch }, notificationId, results }) =>
    [...countResultsByKey(notificationId, results)].map(
      ([[provider, state, code, pace], count]): CountRow => {
        const outcome = { provider, state, code, pace, count };
        return { ...range, ...outcome, jobId, epoch, notificationId, pageId, idPrefix: "" };
      },
    ),
  );
  const queries: Compilable[] = [];
  for (let start = 0; start < counts.length; start += COUNTS_PER_STATEMENT_MAX) {
    const [first, ...others] = counts.slice(start, start + COUNTS_PER_STATEMENT_MAX);
    if (first === undefined) break;
    queries.push(insertCounts(db, [{ ...first, idPrefix: `${newId()}-` }, ...others]));
  }
  return queries;
}

/** A count of equal results of one settlement. All rows of a statement have the same day and range of notifications. */
type CountRow = {
  readonly jobId: string;
  readonly epoch: number;
  readonly notificationId: string;
  readonly pageId: string;
  readonly provider: string;
  readonly state: string;
  readonly code: string;
  readonly pace: number;
  readonly count: number;
  readonly day: number;
  readonly firstId: string;
  readonly lastId: string;
  /** The beginning of the stored ids. Only that of the first row is used. */
  readonly idPrefix: string;
};

const insertCounts = compileOncePerRowCount<CountRow>((db, rows) => {
  const [{ idPrefix, day, firstId, lastId }] = rows;
  const values = rows.map(
    (row) => sql`(${castToText(row.jobId)}, ${castToBigint(row.epoch)},
      ${castToText(row.notificationId)}, ${castToText(row.provider)}, ${castToText(row.state)}, ${castToText(row.code)},
      ${castToBigint(row.pace)}, ${castToBigint(row.count)}, ${castToText(row.pageId)})`,
  );
  // Both engines name the columns of these values column1, column2 and so on.
  const query = sql`
    insert into activity_tally (id, day, audience_id, provider, state, code, pace, count)
    select ${castToText(idPrefix)} || row_number() over (), ${castToBigint(day)},
      notification.audience_id, ended.column4, ended.column5, ended.column6, ended.column7,
      sum(ended.column8)
    from (values ${sql.join(values)}) as ended
    join send_job on send_job.id = ended.column1 and send_job.epoch = ended.column2
    join notification on notification.id = ended.column3
    -- With these bounds, PostgreSQL reads only the partitions of these notifications' days.
    where notification.id >= ${castToText(firstId)} and notification.id <= ${castToText(lastId)}
      and not exists (select 1 from delivery_page as known
        where known.notification_id = ended.column3 and known.id = ended.column9
          and known.notification_id >= ${castToText(firstId)}
          and known.notification_id <= ${castToText(lastId)})
    group by notification.audience_id, ended.column4, ended.column5, ended.column6, ended.column7`;
  return { compile: () => query.compile(db) };
});

/** Adds at most `max` counts of settlements to the daily counts, and returns how many it added. */
export async function addUpCounts({ database }: Context, max: number): Promise<number> {
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
        .values(sumByKey(counts))
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

/**
 * Sums up counts with the same key. Sorts the keys, so that all nodes lock rows in the same order and cannot deadlock.
 */
function sumByKey(counts: readonly OutcomeCountRow[]): readonly OutcomeCountRow[] {
  const sums = new Map<string, OutcomeCountRow>();
  for (const count of counts) {
    const { audience_id, day, provider, state, code, pace } = count;
    const key = [audience_id, day, provider, state, code, pace].join(" ");
    const sum = sums.get(key);
    sums.set(key, { ...count, count: count.count + (sum?.count ?? 0) });
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
