import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { isEmailAddress, type Mail } from "#mail/mail.ts";
import { insertMailQuery } from "#mail/store/outbox.ts";

/**
 * Queues the email that notifies a person of a change to their account, in the transaction of the change, so that it
 * cannot be lost. An undeliverable address does not block the change.
 */
export async function queueNotice(db: Kysely<Schema>, context: Context, mail: Mail): Promise<void> {
  if (isEmailAddress(mail.to)) await db.executeQuery(insertMailQuery(context, mail).compile());
}
