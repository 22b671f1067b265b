import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { since, type Actor } from "#audit/event.ts";
import { recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { Mail } from "#mail/mail.ts";
import { mailInsert } from "#mail/store/outbox.ts";
import type { ForeignStatement } from "../../store/accounts.ts";
import { holdLinks } from "../../store/links.ts";
import { isoNow, setPassword } from "./passwords.ts";

/** A password reset link, and the mail that contains it. */
export interface MailedLink {
  readonly accountId: string;
  /** Stored as its hash. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
  readonly mail: Mail;
}

/** Stores a link and queues its mail. Returns false and stores nothing if the account has another address by now. */
export async function insertMailedLink(
  context: Context,
  { accountId, token, endsAt, mail }: MailedLink,
): Promise<boolean> {
  const { database, newId } = context;
  const timestamp = isoNow(context);
  return database.transaction(async (db) => {
    // A change of the address ends existing links, so no link may be stored after it.
    await holdLinks(db, { engine: database.engine, accountId });
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
    await db.executeQuery(mailInsert(context, mail).compile());
    return true;
  });
}

/** Returns whether a mailed link with this token is valid now. */
export async function isResetToken(
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

/** The result of a password reset by a mailed link. */
export interface MailedReset {
  readonly accountId: string;
  /** True if the address was not verified before, so that a stranger may have created the account. */
  readonly isTakenBack: boolean;
}

/**
 * Uses up a mailed link, sets the password and verifies the address. Ends sessions, access tokens, unfinished changes
 * and other links. If the account is reclaimed, also removes the second factor and the other sign-in methods, and runs
 * the statements of `takenBack`. Returns null if the link is used, expired or unknown.
 */
export async function spendResetToken(
  context: Context,
  input: {
    readonly token: string;
    readonly passwordHash: string;
    readonly actor: Actor;
    readonly takenBack: (accountId: string) => readonly ForeignStatement[];
  },
): Promise<MailedReset | null> {
  const reset = await recorded(
    context,
    async (db) => {
      const found = await takeResetToken(db, context, input.token);
      if (found === undefined) return undefined;
      const { accountId, isTakenBack } = found;
      await setPassword(db, context, { accountId, passwordHash: input.passwordHash });
      await db
        .updateTable("account")
        .set({ email_verified: 1 })
        .where("id", "=", accountId)
        .execute();
      if (!isTakenBack) return found;
      await removeOtherCredentials(db, accountId);
      for (const statement of input.takenBack(accountId)) {
        await db.executeQuery(statement.compile());
      }
      return found;
    },
    ({ accountId, isTakenBack }) => ({
      action: "password_reset",
      actor: input.actor,
      accountId,
      changes: [since("method", "mailed_link"), since("isTakenBack", String(isTakenBack))],
    }),
  );
  return reset ?? null;
}

async function takeResetToken(
  db: Kysely<Schema>,
  { database: { engine }, now }: Context,
  token: string,
): Promise<MailedReset | undefined> {
  const identifier = hashIdentifier(token);
  const found = await db
    .selectFrom("verification")
    .select("value")
    .where("identifier", "=", identifier)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  await holdLinks(db, { engine, accountId: found.value });
  const deleted = await db
    .deleteFrom("verification")
    .where("identifier", "=", identifier)
    .where("expires_at", ">", new Date(now()).toISOString())
    .returning("value")
    .executeTakeFirst();
  const account = await db
    .selectFrom("account")
    .select(["id", "email_verified"])
    .where("id", "=", deleted?.value ?? "")
    .executeTakeFirst();
  if (account === undefined) return undefined;
  return { accountId: account.id, isTakenBack: !account.email_verified };
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
