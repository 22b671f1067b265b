import type { Kysely } from "kysely";
import { toChangedValue, type Actor } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { isEmailAddress } from "#mail/mail.ts";

/** The proof that an email address belongs to the owner of its account. */
export type AddressProof =
  /** A link that was emailed to the address was opened. */
  | "mailed_link"
  /** An administrator confirmed the address, or shared an invitation to it on a server without email. */
  | "administrator"
  /** The identity provider verified the address. */
  | "oidc"
  /** The account was created with the set-up link in the server's log. */
  | "set_up_link"
  /** The operator created the account on the command line. */
  | "operator";

/**
 * Marks the address of an account as verified, and records the proof. Safe to repeat. Returns false if the account has
 * another address by now, or no longer exists.
 */
export async function verifyAddress(
  context: Context,
  input: {
    readonly accountId: string;
    /** Lower case. */
    readonly email: string;
    readonly proof: AddressProof;
    readonly actor: Actor;
  },
): Promise<boolean> {
  const { accountId, email, proof, actor } = input;
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
    const changes = [toChangedValue("method", proof)];
    await recordEvent(db, context, { action: "email_confirmed", actor, accountId, changes });
    return true;
  });
}

/** Returns the verified address of an account, for notices about the account; null if there is none. */
export async function findVerifiedAddress(
  db: Kysely<Schema>,
  accountId: string,
): Promise<string | null> {
  const row = await db
    .selectFrom("account")
    .select(["email", "email_verified"])
    .where("id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined || !row.email_verified) return null;
  // An identity provider may supply an undeliverable address. It must not block the change that the notice is about.
  return isEmailAddress(row.email) ? row.email : null;
}
