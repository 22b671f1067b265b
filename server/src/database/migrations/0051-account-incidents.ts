import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/** Adds the index that finds the incidents of an account. */
export const accountIncidents: Migration = {
  name: "0051-account-incidents",
  async up({ db }) {
    // For `removeIncidentsOfAccount`.
    await db.schema
      .createIndex("incident_by_account")
      .on("incident")
      .columns(["owner_account_id", "id"])
      .where(sql.ref("owner_team_id"), "is", null)
      .execute();
  },
};
