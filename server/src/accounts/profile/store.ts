import type { Actor } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Mail } from "#mail/mail.ts";
import { insertMailQuery } from "#mail/store/outbox.ts";
import { findChallenge, takeChallengeIn } from "../store/challenges.ts";
import { endMailedLinks, lockMailedLinks } from "../store/links.ts";
import { toAddressLockName } from "../store/accounts.ts";

/** Renames an account. */
export async function renameAccount(
  { database: { db }, now }: Context,
  { accountId, name }: { readonly accountId: string; readonly name: string },
): Promise<void> {
  await db
    .updateTable("account")
    .set({ name, updated_at: new Date(now()).toISOString() })
    .where("id", "=", accountId)
    .execute();
}

/**
 * The result of a change of address: `expired` if the link is invalid, and `taken` if another account has the address.
 */
export type EmailChangeResult = "changed" | "expired" | "taken";

/**
 * Uses up the link that was emailed to a new address, changes the address, and queues a notice to the previous one.
 * Ends all reset links and links to other addresses.
 */
export async function changeEmail(
  context: Context,
  input: {
    readonly token: string;
    readonly createNotice: (email: string) => Mail;
    readonly actor: Actor;
  },
): Promise<EmailChangeResult> {
  const { token, createNotice, actor } = input;
  const { engine } = context.database;
  const link = { kind: "email_change", token, now: context.now() } as const;
  return context.database.transaction(async (db) => {
    const { accountId = null, content: email = "" } = (await findChallenge(db, link)) ?? {};
    if (accountId === null) return "expired";
    await engine.lockName(toAddressLockName(email)).execute(db);
    await lockMailedLinks(db, { engine, accountId });
    if ((await takeChallengeIn(db, link)) === null) return "expired";
    const currentOwner = await db
      .selectFrom("account")
      .select("id")
      .where("email", "=", email)
      .executeTakeFirst();
    if (currentOwner !== undefined && currentOwner.id !== accountId) return "taken";
    const { email: previousEmail } = await db
      .selectFrom("account")
      .select("email")
      .where("id", "=", accountId)
      .executeTakeFirstOrThrow();
    const updated_at = new Date(context.now()).toISOString();
    await db
      .updateTable("account")
      .set({ email, email_verified: 1, updated_at })
      .where("id", "=", accountId)
      .execute();
    await endMailedLinks(db, accountId);
    await db.executeQuery(insertMailQuery(context, createNotice(previousEmail)).compile());
    await recordEvent(db, context, { action: "email_changed", actor, accountId });
    return "changed";
  });
}
