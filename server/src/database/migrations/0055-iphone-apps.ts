import type { Migration } from "../migration.ts";

/** Adds the time at which a connected app first named itself one for iPhones, in milliseconds since the epoch. */
export const iphoneApps: Migration = {
  name: "0055-iphone-apps",
  async up({ db }) {
    await db.schema.alterTable("connected_app").addColumn("iphone_since", "bigint").execute();
  },
};
