import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { toOneLine, type Mail, type MailPurpose } from "../mail.ts";
import { sealContent, insertHeldMailQuery, insertMailQuery } from "./outbox.ts";

/** The time after a notice during which further events share one mail. That mail is held for the same time. */
export const NOTICE_INTERVAL_MS = 10 * 60_000;

/** An event that a person is notified of, possibly together with earlier events. */
export interface NotifiedEvent {
  readonly purpose: MailPurpose;
  readonly to: string;
  /** Time of the event, in milliseconds since the epoch. */
  readonly happenedAt: number;
  /** The mail to send immediately; null if another event happened within `NOTICE_INTERVAL_MS`. */
  readonly firstMail: Mail | null;
  /** Returns the mail about all events since `startsAt`, in milliseconds since the epoch. */
  readonly createCombinedMail: (startsAt: number) => Promise<Mail>;
}

/** Queues the first mail to be sent immediately. Adds each further event to a held mail, until that mail is sent. */
export async function queueCombinedNotice(
  db: Kysely<Schema>,
  context: Context,
  event: NotifiedEvent,
): Promise<void> {
  const { purpose, to, happenedAt, firstMail, createCombinedMail } = event;
  if (firstMail !== null) {
    await db.executeQuery(insertMailQuery(context, firstMail).compile());
    return;
  }
  const heldMail = await findHeldMail(db, { purpose, to });
  const startsAt = Math.min(heldMail?.startsAt ?? happenedAt, happenedAt);
  const mail = await createCombinedMail(startsAt);
  if (heldMail !== null && (await rewriteHeldMail(db, context, { ...heldMail, startsAt, mail })))
    return;
  await db.executeQuery(
    insertHeldMailQuery(
      context,
      await createCombinedMail(happenedAt),
      NOTICE_INTERVAL_MS,
    ).compile(),
  );
}

/** A mail that is held for further events and was never attempted. */
export interface HeldMail {
  readonly id: string;
  /** Start of the events in the mail, in milliseconds since the epoch. */
  readonly startsAt: number;
}

/** Returns the newest held mail of a purpose to an address; null if there is none. */
export async function findHeldMail(
  db: Kysely<Schema>,
  { purpose, to }: Pick<Mail, "purpose" | "to">,
): Promise<HeldMail | null> {
  const row = await db
    .selectFrom("mail_message")
    .select(["id", "created_at as startsAt"])
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
  { id, startsAt, mail }: HeldMail & { readonly mail: Mail },
): Promise<boolean> {
  const row = await db
    .updateTable("mail_message")
    .set({
      subject: toOneLine(mail.subject),
      ...sealContent(seal, { id, text: mail.text, link: mail.link }),
      created_at: startsAt,
    })
    .where("id", "=", id)
    .where("attempts", "=", 0)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}
