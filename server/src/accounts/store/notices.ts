import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { isEmailAddress, type Mail } from "#mail/mail.ts";
import { mailInsert } from "#mail/store/outbox.ts";

/**
 * Makes the mail owed that tells a person of a change to their account, in the transaction that makes it: else a process that
 * ends in between tells nothing. An address that no mail goes to keeps nobody from the change.
 */
export async function oweNotice(db: Kysely<Schema>, context: Context, mail: Mail): Promise<void> {
  if (isEmailAddress(mail.to)) await db.executeQuery(mailInsert(context, mail).compile());
}
