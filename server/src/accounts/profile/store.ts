import type { Actor } from "#audit/event.ts";
import { record } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Mail } from "#mail/mail.ts";
import { mailInsert } from "#mail/store/outbox.ts";
import { findChallenge, spendChallenge } from "../store/challenges.ts";
import { endLinks, holdLinks } from "../store/links.ts";
import { addressLock } from "../store/accounts.ts";

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
 * The result of a change of address: `over` if the link is invalid, and `taken` if another account has the address.
 */
export type EmailChange = "changed" | "over" | "taken";

/**
 * Uses up the link that was mailed to a new address, changes the address, and queues a notice to the previous one.
 * Ends all reset links and links to other addresses.
 */
export async function changeEmail(
  context: Context,
  input: {
    readonly token: string;
    readonly noticeTo: (email: string) => Mail;
    readonly actor: Actor;
  },
): Promise<EmailChange> {
  const { token, noticeTo, actor } = input;
  const { engine } = context.database;
  const link = { kind: "email_change", token, now: context.now() } as const;
  return context.database.transaction(async (db) => {
    const { accountId = null, content: email = "" } = (await findChallenge(db, link)) ?? {};
    if (accountId === null) return "over";
    await engine.hold(addressLock(email)).execute(db);
    await holdLinks(db, { engine, accountId });
    if ((await spendChallenge(db, link)) === null) return "over";
    const holder = await db
      .selectFrom("account")
      .select("id")
      .where("email", "=", email)
      .executeTakeFirst();
    if (holder !== undefined && holder.id !== accountId) return "taken";
    const { email: before } = await db
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
    await endLinks(db, accountId);
    await db.executeQuery(mailInsert(context, noticeTo(before)).compile());
    await record(db, context, { action: "email_changed", actor, accountId });
    return "changed";
  });
}
