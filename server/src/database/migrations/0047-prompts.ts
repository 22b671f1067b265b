import { sql, type Kysely } from "kysely";
import type { Migration } from "../migration.ts";
import type { Schema } from "../schema.ts";

/**
 * Adds the question that an incident asks, the state and the result of its prompt, and the answers. Also adds an index
 * that finds the notifications of incidents and prompts when an account is deleted.
 */
export const prompts: Migration = {
  name: "0047-prompts",
  async up({ db }) {
    await db.schema.alterTable("incident").addColumn("question", "text").execute();
    await createPrompts(db);
    await createAnswers(db);
    // For `listInteractionNotificationIds`. Plain notifications are not in it.
    await db.schema
      .createIndex("notification_acting")
      .on("notification")
      .columns(["audience_id", "id"])
      .where(sql.ref("cause"), "is not", null)
      .execute();
  },
};

async function createPrompts(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable("prompt")
    .addColumn("id", "text", (column) =>
      column.primaryKey().references("incident.id").onDelete("cascade"),
    )
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("answers_needed", "integer", (column) => column.notNull())
    .addColumn("choice", "text")
    .addColumn("answer_text", "text")
    .execute();
  // For `countPromptsByState`, and for lists of one state.
  await db.schema.createIndex("prompt_by_state").on("prompt").columns(["state", "id"]).execute();
}

async function createAnswers(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable("prompt_answer")
    .addColumn("prompt_id", "text", (column) =>
      column.notNull().references("prompt.id").onDelete("cascade"),
    )
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("choice", "text")
    .addColumn("answer_text", "text")
    .addColumn("device_id", "text")
    .addColumn("via", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("first_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("prompt_answer_pk", ["prompt_id", "account_id"])
    .execute();
  // For `eraseAnswers`.
  await db.schema
    .createIndex("prompt_answer_by_account")
    .on("prompt_answer")
    .column("account_id")
    .execute();
}
