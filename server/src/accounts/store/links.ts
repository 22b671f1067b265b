import type { Kysely } from "kysely";
import type { Engine } from "#database/engine.ts";
import type { Schema } from "#database/schema.ts";

/**
 * Keeps what is said here from happening twice at once to an account, until the transaction ends: two links that are used at
 * once would each wait for the row of the other. Taken after `holderOf` of an address and `ADMINISTRATORS`.
 */
export async function holdLinks(
  db: Kysely<Schema>,
  { engine, accountId }: { readonly engine: Engine; readonly accountId: string },
): Promise<void> {
  await engine.hold(`links ${accountId}`).execute(db);
}

/** Ends the links, mailed or handed over, by which an account would get another password or address. */
export async function endLinks(db: Kysely<Schema>, accountId: string): Promise<void> {
  // The sign-in library keeps the account's id in the value of a mailed link.
  await db.deleteFrom("verification").where("value", "=", accountId).execute();
  await db
    .deleteFrom("challenge")
    .where("account_id", "=", accountId)
    .where("kind", "in", ["password_reset", "email_change"])
    .execute();
}

/**
 * Ends all by which somebody who knew the old password, or could read the old mail, may be in or come in: sessions (with
 * them pairings), sign-ins that are half done, all links, and those that the account handed over as an administrator.
 */
export async function endSignIns(db: Kysely<Schema>, accountId: string): Promise<void> {
  await db.deleteFrom("session").where("account_id", "=", accountId).execute();
  await db.deleteFrom("challenge").where("account_id", "=", accountId).execute();
  await endLinks(db, accountId);
  await endHandedLinks(db, accountId);
}

/** Ends what an administrator made and handed over, who is none any more: it stands as long as its maker may make it. */
export async function endAdministratorsLinks(db: Kysely<Schema>, accountId: string): Promise<void> {
  await endHandedLinks(db, accountId);
  await db.deleteFrom("sign_up_invitation").where("invited_by", "=", accountId).execute();
}

/** A link to the new password of somebody else has its maker in its content. */
async function endHandedLinks(db: Kysely<Schema>, makerId: string): Promise<void> {
  await db
    .deleteFrom("challenge")
    .where("kind", "=", "password_reset")
    .where("content", "=", makerId)
    .execute();
}
