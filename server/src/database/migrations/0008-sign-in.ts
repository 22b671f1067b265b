import type { Migration, MigrationTarget } from "../migration.ts";

/** Adds second factors, passkeys, and challenges for sign-ins and changes in two steps. */
export const signIn: Migration = {
  name: "0008-sign-in",
  async up(target) {
    await createTwoFactorTable(target);
    await createBackupCodeTable(target);
    await createPasskeyTable(target);
    await createChallengeTable(target);
    await target.db.schema
      .createIndex("credential_by_subject")
      .unique()
      .on("credential")
      .columns(["provider_id", "subject"])
      .execute();
  },
};

async function createTwoFactorTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("two_factor")
    .addColumn("account_id", "text", (c) =>
      c.primaryKey().references("account.id").onDelete("cascade"),
    )
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("confirmed_at", "bigint")
    .addColumn("last_step", "bigint", (column) => column.notNull())
    .execute();
}

async function createBackupCodeTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("backup_code")
    .addColumn("account_id", "text", (c) =>
      c.notNull().references("account.id").onDelete("cascade"),
    )
    .addColumn("code_hash", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("backup_code_pk", ["account_id", "code_hash"])
    .execute();
}

async function createPasskeyTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("passkey")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (c) =>
      c.notNull().references("account.id").onDelete("cascade"),
    )
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("credential_id", "text", (column) => column.notNull().unique())
    .addColumn("public_key", "text", (column) => column.notNull())
    .addColumn("sign_count", "bigint", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint")
    .execute();
  await db.schema
    .createIndex("passkey_by_account")
    .on("passkey")
    .columns(["account_id", "id"])
    .execute();
}

async function createChallengeTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("challenge")
    .addColumn("token_hash", "text", (column) => column.primaryKey())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (c) => c.references("account.id").onDelete("cascade"))
    .addColumn("content", "text", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("challenge_by_account")
    .on("challenge")
    .column("account_id")
    .execute();
}
