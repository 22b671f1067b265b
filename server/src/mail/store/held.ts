import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { oneLine, type Mail, type MailPurpose } from "../mail.ts";
import { closeText, heldMailInsert, mailInsert } from "./outbox.ts";

/** Within this time after a notice, further events share one mail, which is held for as long. */
export const NOTICE_SPAN_MS = 10 * 60_000;

/** An event that a person is notified of, possibly together with earlier events. */
export interface NotifiedEvent {
  readonly purpose: MailPurpose;
  readonly to: string;
  /** Time of the event, in milliseconds since the epoch. */
  readonly at: number;
  /** The mail to send immediately; null if another event happened within `NOTICE_SPAN_MS`. */
  readonly first: Mail | null;
  /** Returns the mail about all events since a time. */
  readonly more: (since: number) => Promise<Mail>;
}

/** Queues a mail, either immediately or held; each further event rewrites a held mail until it is sent. */
export async function oweGathered(
  db: Kysely<Schema>,
  context: Context,
  event: NotifiedEvent,
): Promise<void> {
  const { purpose, to, at, first, more } = event;
  if (first !== null) {
    await db.executeQuery(mailInsert(context, first).compile());
    return;
  }
  const held = await findHeldMail(db, { purpose, to });
  const since = Math.min(held?.since ?? at, at);
  const mail = await more(since);
  if (held !== null && (await rewriteHeldMail(db, context, { ...held, since, mail }))) return;
  await db.executeQuery(heldMailInsert(context, await more(at), NOTICE_SPAN_MS).compile());
}

/** A mail that is held for further events and was never attempted. */
export interface HeldMail {
  readonly id: string;
  /** Start of the events in the mail, in milliseconds since the epoch. */
  readonly since: number;
}

/** Returns the newest held mail of a purpose to an address; null if there is none. */
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

/** Replaces the content of a held mail without delaying it; returns false if its first attempt has started. */
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
