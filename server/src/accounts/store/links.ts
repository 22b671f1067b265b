import type { Kysely } from "kysely";
import type { Engine } from "#database/engine.ts";
import type { Schema } from "#database/schema.ts";

/**
 * Serialises the changes below for an account until the transaction ends: two links used concurrently would each wait
 * for the other's row. Taken after `holderOf` of an address and `ADMINISTRATORS`.
 */
export async function holdLinks(
  db: Kysely<Schema>,
  { engine, accountId }: { readonly engine: Engine; readonly accountId: string },
): Promise<void> {
  await engine.hold(`links ${accountId}`).execute(db);
}

/** Ends the links, mailed or handed over, that would change the password or address of an account. */
export async function endLinks(db: Kysely<Schema>, accountId: string): Promise<void> {
  // The value of a mailed link is the id of its account.
  await db.deleteFrom("verification").where("value", "=", accountId).execute();
  await db
    .deleteFrom("challenge")
    .where("account_id", "=", accountId)
    .where("kind", "in", ["password_reset", "email_change"])
    .execute();
}

/**
 * Ends every way in for a person who knew the old password or could read the old mail: sessions (and so pairings),
 * unfinished sign-ins, all links, and those that the account handed over as an administrator.
 */
export async function endSignIns(db: Kysely<Schema>, accountId: string): Promise<void> {
  await db.deleteFrom("session").where("account_id", "=", accountId).execute();
  await db.deleteFrom("challenge").where("account_id", "=", accountId).execute();
  await endLinks(db, accountId);
  await endHandedLinks(db, accountId);
}

/** Ends the links and invitations of a former administrator: they are valid only while their maker may create them. */
export async function endAdministratorsLinks(db: Kysely<Schema>, accountId: string): Promise<void> {
  await endHandedLinks(db, accountId);
  await db.deleteFrom("sign_up_invitation").where("invited_by", "=", accountId).execute();
}

/** The content of a reset link for another account is its maker. */
async function endHandedLinks(db: Kysely<Schema>, makerId: string): Promise<void> {
  await db
    .deleteFrom("challenge")
    .where("kind", "=", "password_reset")
    .where("content", "=", makerId)
    .execute();
}
