import { sql, type Kysely } from "kysely";
import type { Migration } from "../migration.ts";
import type { Schema } from "../schema.ts";

/**
 * Adds incidents, their history, and the audiences that they reached, with the entry of each in its audience's feed. A
 * source has at most one open incident for each key. The columns are explained in incident-tables.ts: `told_at` is the
 * time of the latest push, `acknowledged_on` and `closed_on` hold the id of a device.
 */
export const incidents: Migration = {
  name: "0046-incidents",
  async up({ db }) {
    await createIncidents(db);
    await createIncidentIndexes(db);
    await createEvents(db);
    await createAudiences(db);
  },
};

async function createIncidents(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable("incident")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("source_kind", "text", (column) => column.notNull())
    .addColumn("source_id", "text", (column) => column.notNull())
    .addColumn("owner_account_id", "text", (column) => column.notNull())
    .addColumn("owner_team_id", "text")
    .addColumn("key_hash", "text", (column) => column.notNull())
    .addColumn("incident_key", "text")
    .addColumn("audience_kind", "text", (column) => column.notNull())
    .addColumn("audience_id", "text", (column) => column.notNull())
    .addColumn("group_id", "text")
    .addColumn("device_id", "text")
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("priority", "text", (column) => column.notNull())
    .addColumn("channel", "text", (column) => column.notNull())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("content_hash", "text", (column) => column.notNull())
    .addColumn("notification_id", "text", (column) => column.notNull())
    .addColumn("opened_at", "bigint", (column) => column.notNull())
    .addColumn("last_trigger_at", "bigint", (column) => column.notNull())
    .addColumn("occurrences", "integer", (column) => column.notNull())
    .addColumn("told_at", "bigint", (column) => column.notNull())
    .addColumn("rings_since", "bigint")
    .addColumn("expires_at", "bigint")
    .addColumn("step", "integer", (column) => column.notNull())
    .addColumn("round", "integer", (column) => column.notNull())
    .addColumn("repeat_every_ms", "bigint", (column) => column.notNull())
    .addColumn("expire_after_ms", "bigint", (column) => column.notNull())
    .addColumn("policy", "text")
    .addColumn("auto_resolve_after_ms", "bigint")
    .addColumn("acknowledged_at", "bigint")
    .addColumn("acknowledged_via", "text")
    .addColumn("acknowledged_by", "text")
    .addColumn("acknowledged_on", "text")
    .addColumn("closed_at", "bigint")
    .addColumn("closed_via", "text")
    .addColumn("closed_by", "text")
    .addColumn("closed_on", "text")
    .addColumn("callback_url", "text")
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("change_id", "text", (column) => column.notNull())
    .execute();
}

async function createIncidentIndexes(db: Kysely<Schema>): Promise<void> {
  // For `findOpenIncident`.
  await db.schema
    .createIndex("incident_open")
    .unique()
    .on("incident")
    .columns(["source_id", "key_hash"])
    .where(sql.ref("closed_at"), "is", null)
    .execute();
  // For `findLatestIncident`.
  await db.schema
    .createIndex("incident_by_key")
    .on("incident")
    .columns(["source_id", "key_hash", "id"])
    .execute();
  // For `removeOldIncidents`.
  await db.schema
    .createIndex("incident_by_age")
    .on("incident")
    .columns(["last_trigger_at"])
    .execute();
}

async function createEvents(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable("incident_event")
    .addColumn("incident_id", "text", (column) =>
      column.notNull().references("incident.id").onDelete("cascade"),
    )
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("account_id", "text")
    .addColumn("device_id", "text")
    .addColumn("via", "text")
    .addColumn("notification_id", "text")
    .addColumn("detail", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("incident_event_pk", ["incident_id", "id"])
    .execute();
}

async function createAudiences(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable("incident_audience")
    .addColumn("incident_id", "text", (column) =>
      column.notNull().references("incident.id").onDelete("cascade"),
    )
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("step", "integer")
    .addColumn("reach", "text", (column) => column.notNull())
    .addColumn("audience_kind", "text", (column) => column.notNull())
    .addColumn("audience_id", "text", (column) => column.notNull())
    .addColumn("group_id", "text")
    .addColumn("device_id", "text")
    .addColumn("feed_notification_id", "text")
    .addColumn("closed_at", "bigint")
    .addPrimaryKeyConstraint("incident_audience_pk", ["incident_id", "id"])
    .execute();
  // For `listReachedIncidents` in all states.
  await db.schema
    .createIndex("incident_audience_by_feed")
    .on("incident_audience")
    .columns(["audience_id", "incident_id"])
    .execute();
  // For `listReachedIncidents` in open states only.
  await db.schema
    .createIndex("incident_audience_open")
    .on("incident_audience")
    .columns(["audience_id", "incident_id"])
    .where(sql.ref("closed_at"), "is", null)
    .execute();
}
