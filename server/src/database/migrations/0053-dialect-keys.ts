import type { Migration } from "../migration.ts";

/**
 * Adds the API that the programs of a key speak, which determines the shape of the key, and the channel that a key names.
 * Keys of an earlier version have neither.
 */
export const dialectKeys: Migration = {
  name: "0053-dialect-keys",
  async up({ db }) {
    await db.schema.alterTable("api_key").addColumn("dialect", "text").execute();
    await db.schema.alterTable("api_key").addColumn("channel", "text").execute();
  },
};
