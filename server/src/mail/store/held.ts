import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { oneLine, type Mail, type MailPurpose } from "../mail.ts";
import { closeText, heldMailInsert, mailInsert } from "./outbox.ts";

/** After something was told, what follows within this time is told in one mail, which waits for as long. */
export const NOTICE_SPAN_MS = 10 * 60_000;

/** Something that a person is told of, beside what happened shortly before. */
export interface Told {
  readonly purpose: MailPurpose;
  readonly to: string;
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
  /** What is told at once; null where something else was within `NOTICE_SPAN_MS`. */
  readonly first: Mail | null;
  /** Returns the mail about all that happened since a moment. */
  readonly more: (since: number) => Promise<Mail>;
}

/** Makes a mail owed: at once, or one that waits and is rewritten by each thing that follows until it goes out. */
export async function oweGathered(db: Kysely<Schema>, context: Context, told: Told): Promise<void> {
  const { purpose, to, at, first, more } = told;
  if (first !== null) {
    await db.executeQuery(mailInsert(context, first).compile());
    return;
  }
  const held = await findHeldMail(db, { purpose, to });
  // After the clock was set back, what happens now would lie before what is told already.
  const since = Math.min(held?.since ?? at, at);
  const mail = await more(since);
  if (held !== null && (await rewriteHeldMail(db, context, { ...held, since, mail }))) return;
  await db.executeQuery(heldMailInsert(context, await more(at), NOTICE_SPAN_MS).compile());
}

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
