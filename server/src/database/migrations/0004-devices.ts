import { sql } from "kysely";
import type { Migration, MigrationTarget } from "../migration.ts";

/** Adds devices and device groups. schema.ts explains the states of a device, such as `suspect_at` and `retired_at`. */
export const devices: Migration = {
  name: "0004-devices",
  async up(target) {
    await createDeviceTable(target);
    await createDeviceGroupTable(target);
    await createDeviceGroupMemberTable(target);
  },
};

async function createDeviceTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("device")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (c) =>
      c.notNull().references("account.id").onDelete("cascade"),
    )
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("platform", "text", (column) => column.notNull())
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("address", "text", (column) => column.notNull())
    .addColumn("address_hash", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("registered_at", "bigint", (column) => column.notNull())
    .addColumn("paused_at", "bigint")
    .addColumn("suspect_at", "bigint")
    .addColumn("retired_at", "bigint")
    .addColumn("retired_reason", "text")
    .addColumn("last_state", "text")
    .addColumn("last_state_at", "bigint")
    .execute();
  // The address is unique within an account, not across accounts: no account can take over another account's device.
  await db.schema
    .createIndex("device_address")
    .unique()
    .on("device")
    .columns(["account_id", "address_hash"])
    .where(sql.ref("retired_at"), "is", null)
    .execute();
  await db.schema
    .createIndex("device_by_account")
    .on("device")
    .columns(["account_id", "id"])
    .execute();
}

async function createDeviceGroupTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("device_group")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (c) =>
      c.notNull().references("account.id").onDelete("cascade"),
    )
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("device_group_by_account")
    .on("device_group")
    .columns(["account_id", "id"])
    .execute();
}

async function createDeviceGroupMemberTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("device_group_member")
    .addColumn("group_id", "text", (c) =>
      c.notNull().references("device_group.id").onDelete("cascade"),
    )
    .addColumn("device_id", "text", (c) => c.notNull().references("device.id").onDelete("cascade"))
    .addPrimaryKeyConstraint("device_group_member_pk", ["group_id", "device_id"])
    .execute();
  await db.schema
    .createIndex("device_group_member_by_device")
    .on("device_group_member")
    .column("device_id")
    .execute();
}
