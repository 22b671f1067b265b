import type { Migration } from "../migration.ts";

/** Adds API keys of accounts and teams. */
export const keys: Migration = {
  name: "0003-keys",
  async up({ db }) {
    await db.schema
      .createTable("api_key")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("account_id", "text", (c) =>
        c.notNull().references("account.id").onDelete("cascade"),
      )
      .addColumn("team_id", "text", (c) => c.references("team.id").onDelete("cascade"))
      .addColumn("label", "text")
      .addColumn("key_hash", "text", (column) => column.notNull().unique())
      .addColumn("hint", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("last_used_at", "bigint")
      .addColumn("expires_at", "bigint")
      .addColumn("revoked_at", "bigint")
      .addColumn("replaced_by", "text")
      .execute();
    await db.schema
      .createIndex("api_key_by_account")
      .on("api_key")
      .columns(["account_id", "id"])
      .execute();
    await db.schema
      .createIndex("api_key_by_team")
      .on("api_key")
      .columns(["team_id", "id"])
      .execute();
  },
};
