import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { since, type Actor } from "#audit/event.ts";
import { recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { Mail } from "#mail/mail.ts";
import { findChallenge, spendChallenge } from "../store/challenges.ts";
import { endSignIns, holdLinks } from "../store/links.ts";
import { oweNotice } from "../store/notices.ts";
import type { ForeignStatement } from "../store/accounts.ts";

/** A password that an account is to have. */
export interface NewPassword {
  readonly accountId: string;
  readonly passwordHash: string;
  readonly by: Actor;
}

/**
 * Uses up a link that was handed over and sets the password, in the place of the one before, or the first one, owing a notice;
 * sessions, access tokens and all other links end. Null where the link is over.
 */
export async function spendHandedToken(
  context: Context,
  {
    token,
    passwordHash,
    by,
    noticeTo,
  }: {
    readonly token: string;
    readonly noticeTo: (email: string) => Mail;
  } & Omit<NewPassword, "accountId">,
): Promise<Pick<NewPassword, "accountId"> | null> {
  const link = { kind: "password_reset", token, now: context.now() } as const;
  const reset = await recorded(
    context,
    async (db) => {
      const accountId = (await findChallenge(db, link))?.accountId ?? null;
      if (accountId === null) return undefined;
      await holdLinks(db, { engine: context.database.engine, accountId });
      if ((await spendChallenge(db, link)) === null) return undefined;
      await setPassword(db, context, { accountId, passwordHash });
      const { email } = await db
        .selectFrom("account")
        .select("email")
        .where("id", "=", accountId)
        .executeTakeFirstOrThrow();
      await oweNotice(db, context, noticeTo(email));
      return { accountId };
    },
    ({ accountId }) => ({
      action: "password_reset",
      by,
      accountId,
      changes: [since("method", "handed_link")],
    }),
  );
  return reset ?? null;
}

/**
 * Sets a password in the place of the one that was given, owing a notice; all sessions, open questions and links end. Returns
 * false where it is another one by now.
 */
export async function changePassword(
  context: Context,
  {
    accountId,
    passwordHash,
    before,
    by,
    notice,
  }: NewPassword & { readonly before: string; readonly notice: Mail },
): Promise<boolean> {
  const changed = await recorded(
    context,
    async (db) => {
      await holdLinks(db, { engine: context.database.engine, accountId });
      const row = await db
        .updateTable("credential")
        .set({ password: passwordHash, updated_at: momentOf(context) })
        .where("account_id", "=", accountId)
        .where("provider_id", "=", "credential")
        .where("password", "=", before)
        .returning("id")
        .executeTakeFirst();
      if (row === undefined) return undefined;
      await endSignIns(db, accountId);
      await oweNotice(db, context, notice);
      return row;
    },
    () => ({ action: "password_changed", by, accountId }),
  );
  return changed !== undefined;
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

/** What the owner of an address did with a mailed link. */
export interface MailedReset {
  readonly accountId: string;
  /** Nobody had proved before to own the address, so a stranger may have made the account. */
  readonly isTakenBack: boolean;
}

/**
 * Uses a mailed link up and sets the password: the address is verified, and sessions, access tokens, unfinished changes and
 * other links that somebody else may hold end. Who takes an account back from a stranger also loses the stranger's second factor and
 * ways to sign in, with what `takenBack` ends. Null where the link is over.
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

async function setPassword(
  db: Kysely<Schema>,
  context: Context,
  { accountId, passwordHash }: Pick<NewPassword, "accountId" | "passwordHash">,
): Promise<void> {
  const moment = momentOf(context);
  await db
    .insertInto("credential")
    .values({
      id: context.newId(),
      account_id: accountId,
      provider_id: "credential",
      subject: accountId,
      password: passwordHash,
      created_at: moment,
      updated_at: moment,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["provider_id", "subject"])
        .doUpdateSet({ password: passwordHash, updated_at: moment }),
    )
    .execute();
  await endSignIns(db, accountId);
  await db
    .updateTable("access_token")
    .set({ revoked_at: context.now() })
    .where("account_id", "=", accountId)
    .where("revoked_at", "is", null)
    .execute();
}

/** The sign-in library's name for a mailed link (its `storeIdentifier: "hashed"`): SHA-256, base64url. */
function identifierOf(token: string): string {
  return createHash("sha256").update(`reset-password:${token}`).digest("base64url");
}

/** The form of the library's moments. */
function momentOf({ now }: Context): string {
  return new Date(now()).toISOString();
}
