import type { Migration } from "../migration.ts";

/**
 * Adds the hash of the key with which a device acts for its owner. A device of an earlier version has none until its app
 * asks for one.
 */
export const deviceActionKey: Migration = {
  name: "0044-device-action-key",
  async up({ db }) {
    await db.schema.alterTable("device").addColumn("action_key_hash", "text").execute();
    await db.schema.alterTable("device").addColumn("action_key_at", "bigint").execute();
  },
};
