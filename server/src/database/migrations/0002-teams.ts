import { sql } from "kysely";
import type { Migration, MigrationTarget } from "../migration.ts";

/** Adds teams, their members over time, and invitations. */
export const teams: Migration = {
  name: "0002-teams",
  async up(target) {
    await createTeamTable(target);
    await createTeamMemberTable(target);
    await createInvitationTable(target);
  },
};

async function createTeamTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("team")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
}

async function createTeamMemberTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("team_member")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("team_id", "text", (c) => c.notNull().references("team.id").onDelete("cascade"))
    .addColumn("account_id", "text", (c) =>
      c.notNull().references("account.id").onDelete("cascade"),
    )
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("joined_at", "bigint", (column) => column.notNull())
    .addColumn("left_at", "bigint")
    .execute();
  await db.schema
    .createIndex("team_member_present")
    .unique()
    .on("team_member")
    .columns(["team_id", "account_id"])
    .where(sql.ref("left_at"), "is", null)
    .execute();
  await db.schema
    .createIndex("team_member_by_account")
    .on("team_member")
    .columns(["account_id", "team_id"])
    .execute();
}

async function createInvitationTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("invitation")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("team_id", "text", (c) => c.notNull().references("team.id").onDelete("cascade"))
    .addColumn("email", "text", (column) => column.notNull())
    .addColumn("invited_by", "text", (c) =>
      c.notNull().references("account.id").onDelete("cascade"),
    )
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("mail_token_hash", "text", (column) => column.notNull().unique())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("mailed_at", "bigint")
    .addColumn("accepted_at", "bigint")
    .addColumn("declined_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .execute();
  // A team has at most one unanswered invitation to an address.
  await db.schema
    .createIndex("invitation_unanswered")
    .unique()
    .on("invitation")
    .columns(["team_id", "email"])
    .where(sql.ref("accepted_at"), "is", null)
    .where(sql.ref("declined_at"), "is", null)
    .where(sql.ref("revoked_at"), "is", null)
    .execute();
  await db.schema
    .createIndex("invitation_by_recipient")
    .on("invitation")
    .columns(["email", "created_at"])
    .execute();
  await db.schema
    .createIndex("invitation_by_inviter")
    .on("invitation")
    .columns(["invited_by", "created_at"])
    .execute();
}
