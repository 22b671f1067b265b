import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { toChangedValue, type Actor } from "#audit/event.ts";
import { runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { Mail } from "#mail/mail.ts";
import { insertMailQuery } from "#mail/store/outbox.ts";
import type { JoinedStatement } from "../../store/accounts.ts";
import { lockMailedLinks } from "../../store/links.ts";
import { formatNow, setPassword } from "./passwords.ts";

/** A password reset link, and the email that contains it. */
export interface MailedLink {
  readonly accountId: string;
  /** Stored as its hash. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
  readonly mail: Mail;
}

/** Stores a link and queues its email. Returns false and stores nothing if the address of the account has changed. */
export async function insertMailedLink(
  context: Context,
  { accountId, token, endsAt, mail }: MailedLink,
): Promise<boolean> {
  const { database, newId } = context;
  const timestamp = formatNow(context);
  return database.transaction(async (db) => {
    // A change of the address ends existing links, so no link may be stored after it.
    await lockMailedLinks(db, { engine: database.engine, accountId });
    const account = await db
      .selectFrom("account")
      .select("id")
      .where("id", "=", accountId)
      .where("email", "=", mail.to)
      .executeTakeFirst();
    if (account === undefined) return false;
    await db
      .insertInto("verification")
      .values({
        id: newId(),
        identifier: hashIdentifier(token),
        value: accountId,
        expires_at: new Date(endsAt).toISOString(),
        created_at: timestamp,
        updated_at: timestamp,
      })
      .execute();
    await db.executeQuery(insertMailQuery(context, mail).compile());
    return true;
  });
}

/** Returns whether an emailed link with this token is valid now. */
export async function isValidResetToken(
  { database: { db }, now }: Context,
  token: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("verification")
    .select("id")
    .where("identifier", "=", hashIdentifier(token))
    .where("expires_at", ">", new Date(now()).toISOString())
    .executeTakeFirst();
  return row !== undefined;
}

/** The result of a password reset by an emailed link. */
export interface MailedReset {
  readonly accountId: string;
  /** True if the address was not verified before, so that a stranger may have created the account. */
  readonly isReclaimed: boolean;
}

/**
 * Uses up an emailed link, sets the password and verifies the address. Ends sessions, access tokens, unfinished changes
 * and other links. If the account is reclaimed, also removes the second factor and the other sign-in methods, and runs
 * the statements of `createReclaimStatements`. Returns null if the link is used, expired or unknown.
 */
export async function spendResetToken(
  context: Context,
  input: {
    readonly token: string;
    readonly passwordHash: string;
    readonly actor: Actor;
    readonly createReclaimStatements: (accountId: string) => readonly JoinedStatement[];
  },
): Promise<MailedReset | null> {
  const result = await runAndRecord(
    context,
    async (db) => {
      const reset = await spendToken(db, context, input.token);
      if (reset === undefined) return undefined;
      const { accountId, isReclaimed } = reset;
      await setPassword(db, context, { accountId, passwordHash: input.passwordHash });
      await db
        .updateTable("account")
        .set({ email_verified: 1 })
        .where("id", "=", accountId)
        .execute();
      if (!isReclaimed) return reset;
      await removeOtherCredentials(db, accountId);
      for (const statement of input.createReclaimStatements(accountId)) {
        await db.executeQuery(statement.compile());
      }
      return reset;
    },
    ({ accountId, isReclaimed }) => ({
      action: "password_reset",
      actor: input.actor,
      accountId,
      changes: [
        toChangedValue("method", "mailed_link"),
        toChangedValue("isTakenBack", String(isReclaimed)),
      ],
    }),
  );
  return result ?? null;
}

async function spendToken(
  db: Kysely<Schema>,
  { database: { engine }, now }: Context,
  token: string,
): Promise<MailedReset | undefined> {
  const identifier = hashIdentifier(token);
  const link = await db
    .selectFrom("verification")
    .select("value")
    .where("identifier", "=", identifier)
    .executeTakeFirst();
  if (link === undefined) return undefined;
  await lockMailedLinks(db, { engine, accountId: link.value });
  const deletedLink = await db
    .deleteFrom("verification")
    .where("identifier", "=", identifier)
    .where("expires_at", ">", new Date(now()).toISOString())
    .returning("value")
    .executeTakeFirst();
  const account = await db
    .selectFrom("account")
    .select(["id", "email_verified"])
    .where("id", "=", deletedLink?.value ?? "")
    .executeTakeFirst();
  if (account === undefined) return undefined;
  return { accountId: account.id, isReclaimed: !account.email_verified };
}

async function removeOtherCredentials(db: Kysely<Schema>, accountId: string): Promise<void> {
  await db.deleteFrom("two_factor").where("account_id", "=", accountId).execute();
  await db.deleteFrom("backup_code").where("account_id", "=", accountId).execute();
  await db.deleteFrom("passkey").where("account_id", "=", accountId).execute();
  await db
    .deleteFrom("credential")
    .where("account_id", "=", accountId)
    .where("provider_id", "<>", "credential")
    .execute();
}

/** Returns the stored form of a token, SHA-256 in base64url, as in earlier versions. */
function hashIdentifier(token: string): string {
  return createHash("sha256").update(`reset-password:${token}`).digest("base64url");
}
