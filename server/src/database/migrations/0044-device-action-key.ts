import type { Migration } from "../migration.ts";

/**
 * Adds the hash of the key with which a device acts for its owner, and the time of its creation. A device that was
 * registered before has no key until its app asks for one.
 */
export const deviceActionKey: Migration = {
  name: "0044-device-action-key",
  async up({ db }) {
    await db.schema.alterTable("device").addColumn("action_key_hash", "text").execute();
    await db.schema.alterTable("device").addColumn("action_key_at", "bigint").execute();
  },
};
