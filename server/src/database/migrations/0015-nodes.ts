import type { Migration } from "../migration.ts";

/**
 * Adds the processes that share a PostgreSQL database, and their secrets. A SQLite file belongs to one process, with
 * its secrets in files.
 */
export const nodes: Migration = {
  name: "0015-nodes",
  async up({ db, engine }) {
    if (engine.name === "sqlite") return;
    await db.schema
      .createTable("node")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("role", "text", (column) => column.notNull())
      .addColumn("started_at", "bigint", (column) => column.notNull())
      .addColumn("seen_at", "bigint", (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("shared_secret")
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("value", "text", (column) => column.notNull())
      .execute();
  },
};
