import { sql, type Kysely } from "kysely";
import type { Migration } from "../migration.ts";
import type { Schema } from "../schema.ts";

/**
 * Stores the rows of three tables of SQLite in their primary key. Otherwise, SQLite keeps each row under a number of
 * its own and adds an index for the key, so a send writes the row twice. Also drops the feed's index by notification:
 * retention finds the entries by the audience, too.
 */
export const rowsWithoutId: Migration = {
  name: "0039-rows-without-id",
  async up({ db, engine }) {
    if (engine.name === "postgres") return;
    for (const rebuild of REBUILDS) await rebuildTable(db, rebuild);
  },
};

interface Rebuild {
  readonly table: keyof Schema;
  readonly columns: string;
  readonly indexes: readonly string[];
}

const REBUILDS: readonly Rebuild[] = [
  {
    table: "feed_entry",
    columns: `"audience_id" text not null, "notification_id" text not null, "channel" text not null,
      "created_at" bigint not null,
      constraint "feed_entry_pk" primary key ("audience_id", "notification_id")`,
    indexes: [
      `create index "feed_entry_by_channel" on "feed_entry"
        ("audience_id", "channel", "notification_id", "created_at")`,
    ],
  },
  {
    table: "send_job",
    columns: `"id" text primary key not null, "notification_id" text not null, "lane" integer not null,
      "kind" text not null, "range_after" text not null, "range_up_to" text not null, "pending" text,
      "run_at" bigint not null, "epoch" integer not null, "crashes" integer not null, "owner" text not null,
      "expires_at" bigint not null, "marked" text, "suspected" text`,
    indexes: [
      `create index "send_job_due" on "send_job" ("lane", "run_at", "id")`,
      `create index "send_job_by_notification" on "send_job" ("notification_id")`,
    ],
  },
  {
    table: "activity_tally",
    columns: `"id" text primary key not null, "audience_id" text not null, "day" integer not null,
      "provider" text not null, "state" text not null, "code" text not null, "pace" integer not null,
      "count" bigint not null`,
    indexes: [],
  },
];

/** Copies the rows in the order of their key, so that the new table grows only at its end. */
async function rebuildTable(
  db: Kysely<Schema>,
  { table, columns, indexes }: Rebuild,
): Promise<void> {
  const old = sql.table(`${table}_with_id`);
  const current = sql.table(table);
  await sql`alter table ${current} rename to ${old}`.execute(db);
  await sql`create table ${current} (${sql.raw(columns)}) without rowid`.execute(db);
  await sql`insert into ${current} select * from ${old} order by 1, 2`.execute(db);
  await sql`drop table ${old}`.execute(db);
  for (const index of indexes) await sql.raw(index).execute(db);
}
