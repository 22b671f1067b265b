import type { Migration } from "../migration.ts";

/**
 * Adds the incident or the prompt of a notification, the cause of the push, and its buttons. Nodes of an earlier
 * version leave the columns null, and send such a notification as a plain one.
 */
export const acting: Migration = {
  name: "0043-acting",
  async up({ db }) {
    for (const column of ["incident_id", "prompt_id", "cause", "actions"]) {
      await db.schema.alterTable("notification").addColumn(column, "text").execute();
    }
  },
};
