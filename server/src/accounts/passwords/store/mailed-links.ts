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
import { momentOf, setPassword } from "./passwords.ts";

/** A link to a new password, and the mail that brings it. */
export interface MailedLink {
  readonly accountId: string;
  /** Stored as its hash. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
  readonly mail: Mail;
}

/** Stores a link and owes its mail; returns false, with nothing stored, where the account has another address by now. */
export async function insertMailedLink(
  context: Context,
  { accountId, token, endsAt, mail }: MailedLink,
): Promise<boolean> {
  const { database, newId } = context;
  const moment = momentOf(context);
  return database.transaction(async (db) => {
    // A change of the address ends the links that are there: none may come after it.
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
        identifier: identifierOf(token),
        value: accountId,
        expires_at: new Date(endsAt).toISOString(),
        created_at: moment,
        updated_at: moment,
      })
      .execute();
    await db.executeQuery(mailInsert(context, mail).compile());
    return true;
  });
}

/** Returns whether a mailed link with this token is good now. */
export async function isResetToken(
  { database: { db }, now }: Context,
  token: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("verification")
    .select("id")
    .where("identifier", "=", identifierOf(token))
    .where("expires_at", ">", new Date(now()).toISOString())
    .executeTakeFirst();
  return row !== undefined;
}

/** A password that was reset by a mailed link. */
export interface MailedReset {
  readonly accountId: string;
  /** The address was not confirmed before, so a stranger may have made the account. */
  readonly isTakenBack: boolean;
}

/**
 * Uses a mailed link up and sets the password: the address is verified, and sessions, access tokens, unfinished changes and
 * other links that somebody else may hold end. If the account is taken back, the second factor and the other ways to sign in go too,
 * with all that `takenBack` ends. Returns null if the link is over.
 */
export async function spendResetToken(
  context: Context,
  input: {
    readonly token: string;
    readonly passwordHash: string;
    readonly by: Actor;
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
      await endStrangersWays(db, accountId);
      for (const statement of input.takenBack(accountId)) {
        await db.executeQuery(statement.compile());
      }
      return found;
    },
    ({ accountId, isTakenBack }) => ({
      action: "password_reset",
      by: input.by,
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
  const identifier = identifierOf(token);
  const found = await db
    .selectFrom("verification")
    .select("value")
    .where("identifier", "=", identifier)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  await holdLinks(db, { engine, accountId: found.value });
  const taken = await db
    .deleteFrom("verification")
    .where("identifier", "=", identifier)
    .where("expires_at", ">", new Date(now()).toISOString())
    .returning("value")
    .executeTakeFirst();
  const account = await db
    .selectFrom("account")
    .select(["id", "email_verified"])
    .where("id", "=", taken?.value ?? "")
    .executeTakeFirst();
  if (account === undefined) return undefined;
  return { accountId: account.id, isTakenBack: !account.email_verified };
}

async function endStrangersWays(db: Kysely<Schema>, accountId: string): Promise<void> {
  await db.deleteFrom("two_factor").where("account_id", "=", accountId).execute();
  await db.deleteFrom("backup_code").where("account_id", "=", accountId).execute();
  await db.deleteFrom("passkey").where("account_id", "=", accountId).execute();
  await db
    .deleteFrom("credential")
    .where("account_id", "=", accountId)
    .where("provider_id", "<>", "credential")
    .execute();
}

/** Returns the stored form of a token: SHA-256 in base64url, as earlier versions look for it. */
function identifierOf(token: string): string {
  return createHash("sha256").update(`reset-password:${token}`).digest("base64url");
}
