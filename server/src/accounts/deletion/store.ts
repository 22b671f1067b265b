import type { Context } from "#context.ts";
import type { ForeignStatement } from "../store.ts";

/**
 * Ends an account with everything that signs it in. Its row stays, as nobody, for the teams it was in: other rows
 * name it.
 */
export async function eraseAccount(
  { database, now }: Context,
  input: { readonly accountId: string; readonly alongside: readonly ForeignStatement[] },
): Promise<void> {
  const { db } = database;
  const { accountId, alongside } = input;
  await database.atomically([
    ...alongside,
    db.deleteFrom("session").where("account_id", "=", accountId),
    db.deleteFrom("credential").where("account_id", "=", accountId),
    db.deleteFrom("access_token").where("account_id", "=", accountId),
    db.deleteFrom("two_factor").where("account_id", "=", accountId),
    db.deleteFrom("backup_code").where("account_id", "=", accountId),
    db.deleteFrom("passkey").where("account_id", "=", accountId),
    db.deleteFrom("challenge").where("account_id", "=", accountId),
    db.deleteFrom("verification").where("value", "=", accountId),
    db
      .updateTable("account")
      .set({
        // RFC 2606 section 2: nobody can ever have this address.
        email: `${accountId}@deleted.invalid`,
        name: "Deleted account",
        email_verified: 0,
        image: null,
        is_admin: 0,
        // Nobody signs in as nobody, and a key that was being made meanwhile sends nothing.
        suspended_at: now(),
        updated_at: new Date(now()).toISOString(),
      })
      .where("id", "=", accountId),
  ]);
}
