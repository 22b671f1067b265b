import type { Migration } from "../migration.ts";

/**
 * Adds timers: the times at which rooms have something to do. See timer-tables.ts for `run_at`, `due_at` and `set_at`.
 */
export const timers: Migration = {
  name: "0040-timers",
  async up({ db, engine }) {
    await db.schema
      .createTable("timer")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("subject_id", "text", (column) => column.notNull())
      .addColumn("run_at", "bigint", (column) => column.notNull())
      .addColumn("due_at", "bigint", (column) => column.notNull())
      .addColumn("set_at", "bigint", (column) => column.notNull())
      .addColumn("is_absolute", "integer", (column) => column.notNull())
      .addColumn("failures", "integer", (column) => column.notNull())
      .modifyEnd(engine.frequentlyUpdated)
      .execute();
    // A subject has one timer of a kind: `setTimerQuery` replaces it. The subject comes first for `removeTimersQuery`.
    await db.schema
      .createIndex("timer_subject")
      .unique()
      .on("timer")
      .columns(["subject_id", "kind"])
      .execute();
    // For the order of `readTimerPage`.
    await db.schema.createIndex("timer_due").on("timer").columns(["due_at", "id"]).execute();
    // For the latest `set_at` in `readTimerPage`, and for `correctDisplacedTimers`.
    await db.schema.createIndex("timer_by_set_at").on("timer").column("set_at").execute();
  },
};
