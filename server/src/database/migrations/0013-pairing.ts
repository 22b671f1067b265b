import type { Migration, MigrationTarget } from "../migration.ts";

/**
 * Adds pairings, with which a signed-in browser signs in another one, and the sessions that they open. Each row is
 * deleted with its session.
 */
export const pairing: Migration = {
  name: "0013-pairing",
  async up(target) {
    await createPairingTable(target);
    await target.db.schema
      .createTable("paired_session")
      .addColumn("session_id", "text", (c) =>
        c.primaryKey().references("session.id").onDelete("cascade"),
      )
      .execute();
  },
};

async function createPairingTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("pairing")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (c) =>
      c.notNull().references("account.id").onDelete("cascade"),
    )
    .addColumn("session_id", "text", (c) =>
      c.notNull().references("session.id").onDelete("cascade"),
    )
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("code_hash", "text", (column) => column.unique())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("used_at", "bigint")
    .execute();
  await db.schema
    .createIndex("pairing_by_account")
    .on("pairing")
    .columns(["account_id", "id"])
    .execute();
  await db.schema.createIndex("pairing_by_session").on("pairing").column("session_id").execute();
}
