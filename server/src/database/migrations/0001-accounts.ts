import type { Migration, MigrationTarget } from "../migration.ts";

/** Adds accounts, their credentials, sessions, mailed links and access tokens, and the token of the set-up. */
export const accounts: Migration = {
  name: "0001-accounts",
  async up(target) {
    await createAccountTable(target);
    await createSessionTable(target);
    await createCredentialTable(target);
    await createVerificationTable(target);
    await createSetupTokenTable(target);
    await createAccessTokenTable(target);
  },
};

async function createAccountTable({
  db,
  engine: { booleanType, timestampType },
}: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("account")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("email", "text", (column) => column.notNull().unique())
    .addColumn("email_verified", booleanType, (column) => column.notNull())
    .addColumn("image", "text")
    .addColumn("is_admin", booleanType, (column) => column.notNull())
    .addColumn("created_at", timestampType, (column) => column.notNull())
    .addColumn("updated_at", timestampType, (column) => column.notNull())
    .execute();
}

async function createSessionTable({
  db,
  engine: { timestampType },
}: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("session")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (c) =>
      c.notNull().references("account.id").onDelete("cascade"),
    )
    .addColumn("token", "text", (column) => column.notNull().unique())
    .addColumn("expires_at", timestampType, (column) => column.notNull())
    .addColumn("ip_address", "text")
    .addColumn("user_agent", "text")
    .addColumn("created_at", timestampType, (column) => column.notNull())
    .addColumn("updated_at", timestampType, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("session_by_account").on("session").column("account_id").execute();
}

async function createCredentialTable({
  db,
  engine: { timestampType },
}: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("credential")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (c) =>
      c.notNull().references("account.id").onDelete("cascade"),
    )
    .addColumn("provider_id", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("password", "text")
    .addColumn("access_token", "text")
    .addColumn("refresh_token", "text")
    .addColumn("id_token", "text")
    .addColumn("access_token_expires_at", timestampType)
    .addColumn("refresh_token_expires_at", timestampType)
    .addColumn("scope", "text")
    .addColumn("created_at", timestampType, (column) => column.notNull())
    .addColumn("updated_at", timestampType, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("credential_by_account")
    .on("credential")
    .column("account_id")
    .execute();
}

async function createVerificationTable({
  db,
  engine: { timestampType },
}: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("verification")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("identifier", "text", (column) => column.notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addColumn("expires_at", timestampType, (column) => column.notNull())
    .addColumn("created_at", timestampType, (column) => column.notNull())
    .addColumn("updated_at", timestampType, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("verification_by_identifier")
    .on("verification")
    .column("identifier")
    .execute();
}

async function createSetupTokenTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("setup_token")
    .addColumn("token_hash", "text", (column) => column.primaryKey())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
}

async function createAccessTokenTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("access_token")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (c) =>
      c.notNull().references("account.id").onDelete("cascade"),
    )
    .addColumn("label", "text", (column) => column.notNull())
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .execute();
  await db.schema
    .createIndex("access_token_by_account")
    .on("access_token")
    .columns(["account_id", "id"])
    .execute();
}
