import type { Kysely } from "kysely";
import type { Engine } from "#database/engine.ts";
import type { Schema } from "#database/schema.ts";

/**
 * Locks the links of an account until the transaction ends. Otherwise two concurrent uses of links would deadlock.
 * Take this lock after `toAddressLockName` and `ADMINISTRATORS_LOCK`, so that locks are always taken in the same order.
 */
export async function lockMailedLinks(
  db: Kysely<Schema>,
  { engine, accountId }: { readonly engine: Engine; readonly accountId: string },
): Promise<void> {
  await engine.lockName(`links ${accountId}`).execute(db);
}

/** Ends all links that change the password or email address of an account. */
export async function endMailedLinks(db: Kysely<Schema>, accountId: string): Promise<void> {
  // The value of an emailed link is its account id.
  await db.deleteFrom("verification").where("value", "=", accountId).execute();
  await db
    .deleteFrom("challenge")
    .where("account_id", "=", accountId)
    .where("kind", "in", ["password_reset", "email_change"])
    .execute();
}

/**
 * Ends all access of a person who knew the old password or could read the old mailbox: sessions (and so pairings),
 * unfinished sign-ins, all links, and the links that the account shared as an administrator.
 */
export async function endAllAccess(db: Kysely<Schema>, accountId: string): Promise<void> {
  await db.deleteFrom("session").where("account_id", "=", accountId).execute();
  await db.deleteFrom("challenge").where("account_id", "=", accountId).execute();
  await endMailedLinks(db, accountId);
  await endSharedLinks(db, accountId);
}

/**
 * Ends the links and invitations of a former administrator. They are valid only while their creator may create them.
 */
export async function endFormerAdministratorLinks(
  db: Kysely<Schema>,
  accountId: string,
): Promise<void> {
  await endSharedLinks(db, accountId);
  await db.deleteFrom("sign_up_invitation").where("invited_by", "=", accountId).execute();
}

/** The content of a reset link from an administrator is the administrator's account id. */
async function endSharedLinks(db: Kysely<Schema>, creatorId: string): Promise<void> {
  await db
    .deleteFrom("challenge")
    .where("kind", "=", "password_reset")
    .where("content", "=", creatorId)
    .execute();
}
