import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/** Adds escalation policies, and the policy that an API key uses by default. */
export const escalationPolicies: Migration = {
  name: "0045-escalation-policies",
  async up({ db }) {
    await db.schema
      .createTable("escalation_policy")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("account_id", "text")
      .addColumn("team_id", "text")
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("folded_name", "text", (column) => column.notNull())
      .addColumn("steps", "text", (column) => column.notNull())
      .addColumn("remind_after_s", "integer")
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("updated_at", "bigint", (column) => column.notNull())
      .addCheckConstraint(
        "escalation_policy_one_owner",
        sql`(account_id is null) <> (team_id is null)`,
      )
      .execute();
    // For `listPolicies` and `findNamedPolicy`, and for the policies of an owner that ends.
    for (const owner of ["account", "team"]) {
      await db.schema
        .createIndex(`escalation_policy_by_${owner}`)
        .unique()
        .on("escalation_policy")
        .columns([`${owner}_id`, "folded_name"])
        .execute();
    }
    await db.schema.alterTable("api_key").addColumn("escalation_policy_id", "text").execute();
    // For `clearEscalationPolicyQuery`.
    await db.schema
      .createIndex("api_key_by_escalation_policy")
      .on("api_key")
      .column("escalation_policy_id")
      .where(sql.ref("escalation_policy_id"), "is not", null)
      .execute();
  },
};
