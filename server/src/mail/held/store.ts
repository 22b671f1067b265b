import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { oneLine, type Mail } from "../mail.ts";
import { closeText } from "../store.ts";

/** A mail that was never tried, as it waits for more to say. */
export interface HeldMail {
  readonly id: string;
  /** The mail tells what happened from this moment on, in milliseconds since the epoch. */
  readonly since: number;
}

/** Returns the newest held mail of a purpose to an address; null where there is none. */
export async function findHeldMail(
  db: Kysely<Schema>,
  { purpose, to }: Pick<Mail, "purpose" | "to">,
): Promise<HeldMail | null> {
  const row = await db
    .selectFrom("mail_message")
    .select(["id", "created_at as since"])
    .where("purpose", "=", purpose)
    .where("recipient", "=", to)
    .where("attempts", "=", 0)
    .where("held_ms", ">", 0)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Lets a held mail say something else at the moment at which it goes out anyway; false where it is under way by now. */
export async function rewriteHeldMail(
  db: Kysely<Schema>,
  { seal }: Pick<Context, "seal">,
  { id, since, mail }: HeldMail & { readonly mail: Mail },
): Promise<boolean> {
  const row = await db
    .updateTable("mail_message")
    .set({
      subject: oneLine(mail.subject),
      ...closeText(seal, { id, text: mail.text, link: mail.link }),
      created_at: since,
    })
    .where("id", "=", id)
    .where("attempts", "=", 0)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}
