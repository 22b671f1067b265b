import type { Kysely } from "kysely";
import { toChangedValue, type Actor } from "#audit/event.ts";
import { runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { Mail } from "#mail/mail.ts";
import { findChallenge, takeChallengeIn } from "../../store/challenges.ts";
import { endAllAccess, lockMailedLinks } from "../../store/links.ts";
import { queueNotice } from "../../store/queue-notice.ts";

/** The new password of an account, hashed, and the actor who sets it. */
export interface PasswordToSet {
  readonly accountId: string;
  readonly passwordHash: string;
  readonly actor: Actor;
}

/**
 * Uses up a link from an administrator, sets the password and queues a notice. Ends sessions, access tokens and all
 * other links. Returns null if the link is used, expired or unknown.
 */
export async function spendSharedToken(
  context: Context,
  {
    token,
    passwordHash,
    actor,
    createNotice,
  }: {
    readonly token: string;
    readonly createNotice: (email: string) => Mail;
  } & Omit<PasswordToSet, "accountId">,
): Promise<Pick<PasswordToSet, "accountId"> | null> {
  const link = { kind: "password_reset", token, now: context.now() } as const;
  const reset = await runAndRecord(
    context,
    async (db) => {
      const accountId = (await findChallenge(db, link))?.accountId ?? null;
      if (accountId === null) return undefined;
      await lockMailedLinks(db, { engine: context.database.engine, accountId });
      if ((await takeChallengeIn(db, link)) === null) return undefined;
      await setPassword(db, context, { accountId, passwordHash });
      const { email } = await db
        .selectFrom("account")
        .select("email")
        .where("id", "=", accountId)
        .executeTakeFirstOrThrow();
      await queueNotice(db, context, createNotice(email));
      return { accountId };
    },
    ({ accountId }) => ({
      action: "password_reset",
      actor,
      accountId,
      changes: [toChangedValue("method", "handed_link")],
    }),
  );
  return reset ?? null;
}

/**
 * Replaces the password hash `previousHash` and queues a notice. Ends all sessions, challenges and links. Returns false
 * if the password was changed meanwhile.
 */
export async function changePassword(
  context: Context,
  {
    accountId,
    passwordHash,
    previousHash,
    actor,
    notice,
  }: PasswordToSet & { readonly previousHash: string; readonly notice: Mail },
): Promise<boolean> {
  const changedRow = await runAndRecord(
    context,
    async (db) => {
      await lockMailedLinks(db, { engine: context.database.engine, accountId });
      const row = await db
        .updateTable("credential")
        .set({ password: passwordHash, updated_at: formatNow(context) })
        .where("account_id", "=", accountId)
        .where("provider_id", "=", "credential")
        .where("password", "=", previousHash)
        .returning("id")
        .executeTakeFirst();
      if (row === undefined) return undefined;
      await endAllAccess(db, accountId);
      await queueNotice(db, context, notice);
      return row;
    },
    () => ({ action: "password_changed", actor, accountId }),
  );
  return changedRow !== undefined;
}

/** Sets a password, and ends all sessions, links and access tokens, which another person may hold. */
export async function setPassword(
  db: Kysely<Schema>,
  context: Context,
  { accountId, passwordHash }: Pick<PasswordToSet, "accountId" | "passwordHash">,
): Promise<void> {
  const timestamp = formatNow(context);
  await db
    .insertInto("credential")
    .values({
      id: context.newId(),
      account_id: accountId,
      provider_id: "credential",
      subject: accountId,
      password: passwordHash,
      created_at: timestamp,
      updated_at: timestamp,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["provider_id", "subject"])
        .doUpdateSet({ password: passwordHash, updated_at: timestamp }),
    )
    .execute();
  await endAllAccess(db, accountId);
  await db
    .updateTable("access_token")
    .set({ revoked_at: context.now() })
    .where("account_id", "=", accountId)
    .where("revoked_at", "is", null)
    .execute();
}

/** Returns the current time in ISO format. */
export function formatNow({ now }: Context): string {
  return new Date(now()).toISOString();
}
