import { hash } from "node:crypto";
import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";

/** Returns whether an address, in any letter case, refuses invitation mails. */
export async function refusesMails(db: Kysely<Schema>, email: string): Promise<boolean> {
  const row = await db
    .selectFrom("mail_refusal")
    .select("address_hash")
    .where("address_hash", "=", addressHash(email))
    .executeTakeFirst();
  return row !== undefined;
}

/** Stops invitation mails to an address, including queued ones; safe to repeat. */
export async function refuseMails(
  { database: { db }, now }: Context,
  email: string,
): Promise<void> {
  await db
    .insertInto("mail_refusal")
    .values({ address_hash: addressHash(email), refused_at: now() })
    .onConflict((conflict) => conflict.column("address_hash").doNothing())
    .execute();
}

/** Allows invitation mails to an address again; safe to repeat. */
export async function allowMails({ database: { db } }: Context, email: string): Promise<void> {
  await db.deleteFrom("mail_refusal").where("address_hash", "=", addressHash(email)).execute();
}

/** Stores no address: a person who refuses may have nothing else to do with this server. */
function addressHash(email: string): string {
  return hash("sha256", email.toLowerCase(), "hex");
}
