import type { Migration } from "../migration.ts";

/**
 * Adds two columns to API keys: the dialect of the programs that use the key, which determines its format, and the
 * default channel of its sends. Keys of an earlier version have neither.
 */
export const dialectKeys: Migration = {
  name: "0053-dialect-keys",
  async up({ db }) {
    await db.schema.alterTable("api_key").addColumn("dialect", "text").execute();
    await db.schema.alterTable("api_key").addColumn("channel", "text").execute();
  },
};
