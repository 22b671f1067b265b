import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/** Adds the indexes that find the acts of an account, and the incidents of a team. */
export const incidentOwners: Migration = {
  name: "0049-incident-owners",
  async up({ db }) {
    // For `listActsOfAccount` and `eraseNotes`.
    await db.schema
      .createIndex("incident_event_by_account")
      .on("incident_event")
      .columns(["account_id", "id"])
      .where(sql.ref("account_id"), "is not", null)
      .execute();
    // For `endTeamIncidentsQueries` and `removeIncidentsOfEndedTeams`.
    await db.schema
      .createIndex("incident_by_team")
      .on("incident")
      .columns(["owner_team_id", "id"])
      .where(sql.ref("owner_team_id"), "is not", null)
      .execute();
  },
};
