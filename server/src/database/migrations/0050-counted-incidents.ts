import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/** Adds the index of the incidents that count towards the limit of a sender. */
export const countedIncidents: Migration = {
  name: "0050-counted-incidents",
  async up({ db }) {
    // For `countOpenIncidents`. With the second column, which is always null, SQLite prefers this index to
    // `incident_open`.
    await db.schema
      .createIndex("incident_counted")
      .on("incident")
      .columns(["source_id", "closed_at"])
      .where(
        sql<boolean>`closed_at is null and question is null and (incident_key is not null or state = 'triggered')`,
      )
      .execute();
  },
};
