import { hash } from "node:crypto";
import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";

/** Returns whether an email address, in any letter case, refuses invitation mails. */
export async function hasRefusedMails(db: Kysely<Schema>, email: string): Promise<boolean> {
  const row = await db
    .selectFrom("mail_refusal")
    .select("address_hash")
    .where("address_hash", "=", hashEmail(email))
    .executeTakeFirst();
  return row !== undefined;
}

/** Stops invitation mails to an email address, including queued ones. Idempotent. */
export async function refuseMails(
  { database: { db }, now }: Context,
  email: string,
): Promise<void> {
  await db
    .insertInto("mail_refusal")
    .values({ address_hash: hashEmail(email), refused_at: now() })
    .onConflict((conflict) => conflict.column("address_hash").doNothing())
    .execute();
}

/** Allows invitation mails to an email address again. Idempotent. */
export async function allowMails({ database: { db } }: Context, email: string): Promise<void> {
  await db.deleteFrom("mail_refusal").where("address_hash", "=", hashEmail(email)).execute();
}

/** Only the hash is stored: a person who refuses mails may have no account on this server. */
function hashEmail(email: string): string {
  return hash("sha256", email.toLowerCase(), "hex");
}
