import { sql } from "kysely";
import type { Migration, MigrationTarget } from "../migration.ts";

/**
 * Adds audit events, and one digest per day, each chained to the previous one. The name `audit_seal` is older than the
 * word chain. Events have no foreign keys, so that an event outlives the rows that it names. The columns are explained
 * in audit-tables.ts.
 */
export const auditLog: Migration = {
  name: "0021-audit-log",
  async up(target) {
    await createEventTable(target);
    await createIndexes(target);
    await target.db.schema
      .createTable("audit_seal")
      .addColumn("day", "integer", (column) => column.primaryKey())
      .addColumn("event_count", "integer", (column) => column.notNull())
      .addColumn("digest", "text", (column) => column.notNull())
      .addColumn("sealed_at", "bigint", (column) => column.notNull())
      .execute();
  },
};

async function createEventTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("audit_event")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("actor_kind", "text", (column) => column.notNull())
    .addColumn("actor_account_id", "text")
    .addColumn("actor_credential_id", "text")
    .addColumn("account_id", "text")
    .addColumn("team_id", "text")
    .addColumn("subject_id", "text")
    .addColumn("changes", "text", (column) => column.notNull())
    .addColumn("user_agent", "text")
    .addColumn("address", "text")
    .addColumn("address_salt", "text")
    .addColumn("address_hash", "text")
    .execute();
}

async function createIndexes({ db }: MigrationTarget): Promise<void> {
  const createIndex = (name: string) => db.schema.createIndex(name).on("audit_event");
  await createIndex("audit_event_by_account").columns(["account_id", "id"]).execute();
  await createIndex("audit_event_by_actor").columns(["actor_account_id", "id"]).execute();
  await createIndex("audit_event_by_action").columns(["action", "id"]).execute();
  // Finds the addresses to erase next without reading all events that have none any more.
  await createIndex("audit_event_with_address")
    .column("id")
    .where(sql.ref("address"), "is not", null)
    .execute();
}
