import type { Kysely } from "kysely";
import { since, type Actor } from "#audit/event.ts";
import { record } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { isEmailAddress } from "#mail/mail.ts";

/** The way it was proved that an address belongs to the owner of its account. */
export type AddressProof =
  /** A link that was mailed to the address was opened. */
  | "mailed_link"
  /** An administrator confirmed it, or handed over an invitation that names the address on a server without mail. */
  | "administrator"
  /** The identity provider verified it. */
  | "oidc"
  /** The first account was created with the link in the server's log. */
  | "set_up_link"
  /** The command line of the server. */
  | "operator";

/**
 * Confirms the address of an account and records how; safe to repeat. Returns false if the account has another address
 * by then, or is gone.
 */
export async function confirmAddress(
  context: Context,
  input: {
    readonly accountId: string;
    /** Lower case. */
    readonly email: string;
    readonly proof: AddressProof;
    readonly by: Actor;
  },
): Promise<boolean> {
  const { accountId, email, proof, by } = input;
  const updated_at = new Date(context.now()).toISOString();
  return context.database.transaction(async (db) => {
    const row = await db
      .selectFrom("account")
      .select("email_verified")
      .where("id", "=", accountId)
      .where("email", "=", email)
      .executeTakeFirst();
    if (row === undefined) return false;
    if (row.email_verified) return true;
    await db
      .updateTable("account")
      .set({ email_verified: 1, updated_at })
      .where("id", "=", accountId)
      .execute();
    const changes = [since("method", proof)];
    await record(db, context, { action: "email_confirmed", by, accountId, changes });
    return true;
  });
}

/** Returns the confirmed address of an account, for notices about it; null if there is none. */
export async function confirmedAddress(
  db: Kysely<Schema>,
  accountId: string,
): Promise<string | null> {
  const row = await db
    .selectFrom("account")
    .select(["email", "email_verified"])
    .where("id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined || !row.email_verified) return null;
  // An identity provider may have provided an undeliverable address, which must not block the change that the notice is
  // about.
  return isEmailAddress(row.email) ? row.email : null;
}
