import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { since, type Actor } from "#audit/event.ts";
import { record, recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { ForeignStatement } from "../store.ts";

/** A password that an account is to have. */
export interface NewPassword {
  readonly accountId: string;
  readonly passwordHash: string;
  readonly by: Actor;
}

/**
 * Sets a password by a link that was handed over, in the place of the one before, or the first one; sessions, access tokens
 * and open questions end.
 */
export async function replacePassword(
  context: Context,
  { accountId, passwordHash, by }: NewPassword,
): Promise<void> {
  const changes = [since("method", "handed_link")];
  await context.database.transaction(async (db) => {
    await setPassword(db, context, { accountId, passwordHash });
    await record(db, context, { action: "password_reset", by, accountId, changes });
  });
}

/**
 * Sets a password in the place of the one that was given; all sessions and open questions end. Returns false where it is
 * another one by now.
 */
export async function changePassword(
  context: Context,
  { accountId, passwordHash, before, by }: NewPassword & { readonly before: string },
): Promise<boolean> {
  const changed = await recorded(
    context,
    async (db) => {
      const row = await db
        .updateTable("credential")
        .set({ password: passwordHash, updated_at: momentOf(context) })
        .where("account_id", "=", accountId)
        .where("provider_id", "=", "credential")
        .where("password", "=", before)
        .returning("id")
        .executeTakeFirst();
      if (row !== undefined) await endSessions(db, accountId);
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
 * Uses a mailed link up and sets the password: the address is verified, and sessions, access tokens and unfinished changes
 * that somebody else may hold end. Who takes an account back from a stranger also loses the stranger's second factor and
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
  { now }: Context,
  token: string,
): Promise<MailedReset | undefined> {
  const taken = await db
    .deleteFrom("verification")
    .where("identifier", "=", identifierOf(token))
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
  await endSessions(db, accountId);
  await db
    .updateTable("access_token")
    .set({ revoked_at: context.now() })
    .where("account_id", "=", accountId)
    .where("revoked_at", "is", null)
    .execute();
}

/** Whoever knew the old password may have begun to change the address. */
async function endSessions(db: Kysely<Schema>, accountId: string): Promise<void> {
  await db.deleteFrom("session").where("account_id", "=", accountId).execute();
  await db.deleteFrom("challenge").where("account_id", "=", accountId).execute();
}

/** The sign-in library's name for a mailed link (its `storeIdentifier: "hashed"`): SHA-256, base64url. */
function identifierOf(token: string): string {
  return createHash("sha256").update(`reset-password:${token}`).digest("base64url");
}

/** The form of the library's moments. */
function momentOf({ now }: Context): string {
  return new Date(now()).toISOString();
}
