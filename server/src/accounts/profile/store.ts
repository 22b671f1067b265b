import type { Actor } from "#audit/event.ts";
import { record } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Mail } from "#mail/mail.ts";
import { mailInsert } from "#mail/store.ts";
import { holderOf } from "../store.ts";

/** Gives an account another name. */
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
 * Gives an account the address that its owner proved to read, and owes `notice` to the one before. Links that were
 * mailed to that one end. Returns false where another account has the address.
 */
export async function changeEmail(
  context: Context,
  input: {
    readonly accountId: string;
    readonly email: string;
    readonly noticeTo: (email: string) => Mail;
    readonly by: Actor;
  },
): Promise<boolean> {
  const { accountId, email, noticeTo, by } = input;
  return context.database.transaction(async (db) => {
    await context.database.engine.hold(holderOf(email)).execute(db);
    const holder = await db
      .selectFrom("account")
      .select("id")
      .where("email", "=", email)
      .executeTakeFirst();
    if (holder !== undefined && holder.id !== accountId) return false;
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
    // The library keeps the account's id in the value of a link for a new password.
    await db.deleteFrom("verification").where("value", "=", accountId).execute();
    await db
      .deleteFrom("challenge")
      .where("account_id", "=", accountId)
      .where("kind", "=", "email_change")
      .execute();
    await db.executeQuery(mailInsert(context, noticeTo(before)).compile());
    await record(db, context, { action: "email_changed", by, accountId });
    return true;
  });
}
