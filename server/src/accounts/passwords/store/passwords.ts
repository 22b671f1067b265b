import type { Kysely } from "kysely";
import { since, type Actor } from "#audit/event.ts";
import { recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { Mail } from "#mail/mail.ts";
import { findChallenge, spendChallenge } from "../../store/challenges.ts";
import { endSignIns, holdLinks } from "../../store/links.ts";
import { oweNotice } from "../../store/notices.ts";

/** A new password of an account. */
export interface NewPassword {
  readonly accountId: string;
  readonly passwordHash: string;
  readonly by: Actor;
}

/**
 * Uses up a link that was handed over, sets the password, whether there was one before or not, and owes a notice; sessions, access tokens
 * and all other links end. Returns null if the link is over.
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
 * Replaces the password `before` and owes a notice; all sessions, challenges and links end. Returns false if the password is another one
 * by now.
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

/** Sets a password and ends all by which somebody else may be in, or come in: sessions, links and access tokens. */
export async function setPassword(
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

/** Returns the present moment in the form of its column. */
export function momentOf({ now }: Context): string {
  return new Date(now()).toISOString();
}
