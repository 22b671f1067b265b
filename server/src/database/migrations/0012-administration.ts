import { sql } from "kysely";
import type { Migration, MigrationTarget } from "../migration.ts";

/** Adds suspensions of accounts, invitations to the server, and settings that an administrator changes at run time. */
export const administration: Migration = {
  name: "0012-administration",
  async up(target) {
    await target.db.schema.alterTable("account").addColumn("suspended_at", "bigint").execute();
    // Every send checks for suspended accounts; as a rule there are none.
    await target.db.schema
      .createIndex("account_suspended")
      .on("account")
      .column("id")
      .where(sql.ref("suspended_at"), "is not", null)
      .execute();
    await createSignUpInvitationTable(target);
    await target.db.schema
      .createTable("setting")
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("value", "text", (column) => column.notNull())
      .addColumn("changed_at", "bigint", (column) => column.notNull())
      .execute();
  },
};

async function createSignUpInvitationTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("sign_up_invitation")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("email", "text")
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("mail_token_hash", "text", (column) => column.unique())
    .addColumn("invited_by", "text", (c) =>
      c.notNull().references("account.id").onDelete("cascade"),
    )
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
}
