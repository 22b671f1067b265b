import { sql } from "kysely";
import type { Database } from "#database/database.ts";

/** Tables of later migrations. Each comes before the tables that it refers to. */
const LATER_TABLES = [
  "mailbox",
  "app_secret",
  "connected_app",
  "callback",
  "callback_secret",
  "escalation_policy",
  "mail_refusal",
  "left_device",
  "timer",
  "alarm_mail_hour",
  "prompt_answer",
  "prompt",
  "incident_audience",
  "incident_event",
  "incident",
];

/** Reverts the migration that seals values in rows, and all later ones. */
export async function revertToBeforeSealing(database: Database): Promise<void> {
  const { db, engine } = database;
  if (engine.name === "postgres") {
    await sql`alter table node drop column known_step`.execute(db);
    await sql`drop trigger api_key_post_only_changed on api_key`.execute(db);
    await sql`drop function api_key_named_first, sign_in_ended cascade`.execute(db);
    await sql`drop index api_key_by_successor`.execute(db);
  }
  await sql`drop index api_key_by_escalation_policy`.execute(db);
  await sql`drop index notification_acting`.execute(db);
  for (const table of LATER_TABLES) await sql`drop table ${sql.table(table)}`.execute(db);
  for (const column of await listNewColumns(database)) {
    await db.schema.alterTable("notification").dropColumn(column).execute();
  }
  for (const [table, column] of LATER_COLUMNS)
    await db.schema.alterTable(table).dropColumn(column).execute();
  await sql`delete from kysely_migration where name >= '0022'`.execute(db);
}

/** The columns of later migrations in earlier tables other than `notification`. */
const LATER_COLUMNS = [
  ["api_key", "first_key_id"],
  ["api_key", "post_only_at"],
  ["send_job", "marked"],
  ["send_job", "suspected"],
  ["mail_message", "held_ms"],
  ["device", "action_key_hash"],
  ["device", "action_key_at"],
  ["api_key", "escalation_policy_id"],
  ["api_key", "dialect"],
  ["api_key", "channel"],
] as const;

/** Returns the columns from `markdown` on: later migrations append their columns. */
async function listNewColumns({ db }: Database): Promise<readonly string[]> {
  const tables = await db.introspection.getTables();
  const names = tables.find(({ name }) => name === "notification")?.columns.map(({ name }) => name);
  return names?.slice(names.indexOf("markdown")) ?? [];
}
