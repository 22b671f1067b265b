import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable, Database } from "#database/database.ts";
import { insertUnderQuery, type Condition } from "#database/insert-under.ts";
import { selectRunAtMax } from "#database/run-at-limit.ts";
import type { SealedColumn } from "#secrets/sealed-column.ts";
import { SEALED_LIKE_PATTERN, type RowSeal } from "#secrets/row-seal.ts";
import { isEmailAddress, toOneLine, type Mail, type QueuedMail } from "../mail.ts";

/**
 * A mail that this process may send until its lease ends. Text and link are in their stored form, see `unsealContent`.
 */
export interface LeasedMail extends QueuedMail {
  /** The number of attempts, including this one. A result is recorded only if the number still matches. */
  readonly attempts: number;
}

/**
 * Returns the query that queues a mail, for the caller's own transaction. After the commit, the caller wakes the
 * queue. Throws if `isEmailAddress` rejects the recipient.
 */
export function insertMailQuery(context: Context, mail: Mail): Compilable {
  return insertHeldMailQuery(context, mail, 0);
}

/** Like `insertMailQuery`, for a mail that is queued only if a condition holds at that point of the transaction. */
export function insertMailUnderQuery(
  context: Context,
  mail: Mail,
  condition: Condition,
): Compilable {
  const row = toRow(context, mail, 0);
  return insertUnderQuery(context.database.db, { table: "mail_message", row }, condition);
}

/** Like `insertMailQuery`, for a mail that is held for `heldMs` and may be rewritten until then. */
export function insertHeldMailQuery(context: Context, mail: Mail, heldMs: number): Compilable {
  return context.database.db.insertInto("mail_message").values(toRow(context, mail, heldMs));
}

function toRow({ now, newId, seal }: Context, mail: Mail, heldMs: number) {
  // The message contains no address, as it may be logged.
  if (!isEmailAddress(mail.to)) throw new Error(`The mail ${mail.purpose} has no valid recipient.`);
  const createdAt = now();
  const id = newId();
  return {
    id,
    purpose: mail.purpose,
    recipient: mail.to,
    subject: toOneLine(mail.subject),
    ...sealContent(seal, { id, text: mail.text, link: mail.link }),
    created_at: createdAt,
    run_at: createdAt + heldMs,
    attempts: 0,
    held_ms: heldMs,
  };
}

/** Leases up to `max` of the mails that have been due longest, until the time `leaseEndsAt`. */
export async function claimMails(
  { database: { db, engine }, now }: Context,
  { max, leaseEndsAt }: { readonly max: number; readonly leaseEndsAt: number },
): Promise<readonly LeasedMail[]> {
  const dueIds = db
    .selectFrom("mail_message")
    .select("id")
    .where("run_at", "<=", now())
    .orderBy("run_at")
    .limit(max)
    .modifyEnd(engine.skipLocked);
  return db
    .updateTable("mail_message")
    .set({ run_at: leaseEndsAt, attempts: sql<number>`attempts + 1` })
    .where(engine.isOneOf("id", dueIds))
    .returning(["id", "purpose", "recipient as to", "subject", "text", "link", "attempts"])
    .execute();
}

/** The id of a queued mail, and its parts that could sign a person in. */
interface SealableContent {
  readonly id: string;
  readonly text: string;
  readonly link: string;
}

/** Returns the text and link of a queued mail in plain text; null if a server with another secret sealed them. */
export function unsealContent(
  { seal }: Pick<Context, "seal">,
  stored: SealableContent,
): { readonly text: string; readonly link: string } | null {
  const text = seal.open(stored.text, toSealedColumn(stored.id, "text"));
  const link = seal.open(stored.link, toSealedColumn(stored.id, "link"));
  return text === null || link === null ? null : { text, link };
}

/** Returns the text and link of a queued mail in their stored form, see `unsealContent`. */
export function sealContent(
  seal: RowSeal,
  { id, text, link }: SealableContent,
): Omit<SealableContent, "id"> {
  return {
    text: seal.close(text, toSealedColumn(id, "text")),
    link: seal.close(link, toSealedColumn(id, "link")),
  };
}

function toSealedColumn(row: string, column: "text" | "link"): SealedColumn {
  return { table: "mail_message", row, column };
}

/** Returns the number of unsealed mails in the queue. */
export async function countUnsealedMails({ db }: Database): Promise<number> {
  const row = await db
    .selectFrom("mail_message")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("link", "not like", SEALED_LIKE_PATTERN)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/**
 * Seals up to `max` unsealed mails in the queue. Returns how many it read and how many of them it sealed: it skips a
 * mail that is sent or changed meanwhile.
 */
export async function sealUnsealedMails(
  database: Database,
  { seal, max }: { readonly seal: RowSeal; readonly max: number },
): Promise<{ readonly readCount: number; readonly sealedCount: number }> {
  const { db } = database;
  const mails = await db
    .selectFrom("mail_message")
    .select(["id", "text", "link"])
    .where("link", "not like", SEALED_LIKE_PATTERN)
    .orderBy("id")
    .limit(max)
    .execute();
  const results = await database.atomically(
    mails.map((mail) =>
      db
        .updateTable("mail_message")
        .set(sealContent(seal, mail))
        .where("id", "=", mail.id)
        // A concurrent run may have sealed the mail, or a further event may have rewritten it.
        .where("link", "=", mail.link)
        .where("text", "=", mail.text),
    ),
  );
  const sealedCount = results.reduce((sum, result) => sum + Number(result.numAffectedRows ?? 0), 0);
  return { readCount: mails.length, sealedCount };
}

/** Returns when the next mail is due, in milliseconds since the epoch; null if none is queued. */
export async function findNextMailDueAt({ database: { db } }: Context): Promise<number | null> {
  const row = await db
    .selectFrom("mail_message")
    .select("run_at")
    .orderBy("run_at")
    .limit(1)
    .executeTakeFirst();
  return row?.run_at ?? null;
}

/**
 * Returns the number of queued mails, and the earliest time at which one could be sent, in milliseconds since the
 * epoch.
 */
export async function countQueuedMails({
  database: { db },
}: Context): Promise<{ readonly queuedCount: number; readonly oldestAt: number | null }> {
  const row = await db
    .selectFrom("mail_message")
    .select(({ fn }) => [
      fn.countAll().as("queuedCount"),
      fn.min<number | null>(sql`created_at + held_ms`).as("oldestAt"),
    ])
    .executeTakeFirstOrThrow();
  return { queuedCount: Number(row.queuedCount), oldestAt: row.oldestAt };
}

/** Deletes a mail that the mail server has accepted, or that is given up. No effect after the lease of another attempt began. */
export async function removeMail({ database: { db } }: Context, mail: LeasedMail): Promise<void> {
  await db
    .deleteFrom("mail_message")
    .where("id", "=", mail.id)
    .where("attempts", "=", mail.attempts)
    .execute();
}

/**
 * Limits the wait of every mail to `waitsMaxMs`, in milliseconds by its number of attempts, plus the time for which it
 * is held. A longer wait dates from before a clock rollback, and would last until the clock reaches the old time
 * again.
 */
export async function shortenWaits(
  { database: { db }, now }: Context,
  waitsMaxMs: readonly number[],
): Promise<void> {
  const heldMs = sql<number>`case attempts when 0 then held_ms else 0 end`;
  const runAtMax = sql<number>`${selectRunAtMax(now(), waitsMaxMs, 0)} + ${heldMs}`;
  await db
    .updateTable("mail_message")
    .set({ run_at: runAtMax })
    .where("run_at", ">", runAtMax)
    .execute();
}

/** Postpones a mail until the time `runAt`. No effect after the lease of another attempt began. */
export async function postponeMail(
  { database: { db } }: Context,
  mail: LeasedMail,
  runAt: number,
): Promise<void> {
  await db
    .updateTable("mail_message")
    .set({ run_at: runAt })
    .where("id", "=", mail.id)
    .where("attempts", "=", mail.attempts)
    .execute();
}

/** Returns the query that deletes the queued mails to an address, for the transaction that ends the account. */
export function deleteMailsQuery({ database: { db } }: Context, email: string): Compilable {
  return db.deleteFrom("mail_message").where("recipient", "=", email);
}
