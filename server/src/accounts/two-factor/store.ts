import type { Actor } from "#audit/event.ts";
import { insertEventQuery, recordEvent, runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Mail } from "#mail/mail.ts";
import { queueNotice } from "../store/queue-notice.ts";

/** The stored second factor of an account. */
export interface StoredTwoFactor {
  /** The secret, sealed. */
  readonly secret: string;
  readonly isConfirmed: boolean;
}

/**
 * Stores an unconfirmed second factor and its backup codes, and replaces an earlier unconfirmed factor. Returns false
 * if the account has a confirmed factor.
 */
export async function replaceUnconfirmedTwoFactor(
  { database, now }: Context,
  input: {
    readonly accountId: string;
    readonly secret: string;
    readonly codeHashes: readonly string[];
  },
): Promise<boolean> {
  const { accountId, secret, codeHashes } = input;
  return database.transaction(async (db) => {
    const values = { secret, created_at: now(), last_step: -1 };
    const row = await db
      .insertInto("two_factor")
      .values({ account_id: accountId, confirmed_at: null, ...values })
      .onConflict((conflict) =>
        conflict
          .column("account_id")
          .doUpdateSet(values)
          .where("two_factor.confirmed_at", "is", null),
      )
      .returning("account_id")
      .executeTakeFirst();
    if (row === undefined) return false;
    await db.deleteFrom("backup_code").where("account_id", "=", accountId).execute();
    await db
      .insertInto("backup_code")
      .values(codeHashes.map((code_hash) => ({ account_id: accountId, code_hash })))
      .execute();
    return true;
  });
}

/** Returns the second factor of an account, confirmed or not; null if there is none. */
export async function findTwoFactor(
  { database: { db } }: Context,
  accountId: string,
): Promise<StoredTwoFactor | null> {
  const row = await db
    .selectFrom("two_factor")
    .select(["secret", "confirmed_at"])
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { secret: row.secret, isConfirmed: row.confirmed_at !== null };
}

/**
 * Uses up the code of a time step. Returns false if it or a later one was used, because no code works twice (RFC 6238
 * section 5.2).
 */
export async function spendTimeStep(
  { database: { db } }: Context,
  { accountId, step }: { readonly accountId: string; readonly step: number },
): Promise<boolean> {
  const row = await db
    .updateTable("two_factor")
    .set({ last_step: step })
    .where("account_id", "=", accountId)
    .where("last_step", "<", step)
    .returning("account_id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses up a backup code; returns false if it is unknown or used. */
export async function spendBackupCode(
  { database: { db } }: Context,
  { accountId, codeHash }: { readonly accountId: string; readonly codeHash: string },
): Promise<boolean> {
  const row = await db
    .deleteFrom("backup_code")
    .where("account_id", "=", accountId)
    .where("code_hash", "=", codeHash)
    .returning("code_hash")
    .executeTakeFirst();
  return row !== undefined;
}

/** Records that a second factor was confirmed, which turns it on. */
export async function recordConfirmation(
  context: Context,
  { accountId, actor }: OwnedTwoFactor,
): Promise<void> {
  await runAndRecord(
    context,
    (db) =>
      db
        .updateTable("two_factor")
        .set({ confirmed_at: context.now() })
        .where("account_id", "=", accountId)
        .where("confirmed_at", "is", null)
        .returning("account_id")
        .executeTakeFirst(),
    () => ({ action: "two_factor_turned_on", actor, accountId }),
  );
}

/** The account of a second factor, and the actor who changes it. */
interface OwnedTwoFactor {
  readonly accountId: string;
  readonly actor: Actor;
}

/** Replaces all backup codes. */
export async function replaceBackupCodes(
  context: Context,
  { accountId, actor, codeHashes }: OwnedTwoFactor & { readonly codeHashes: readonly string[] },
): Promise<void> {
  const { database } = context;
  const { db } = database;
  await database.atomically([
    // Locks the row, so that the second of two concurrent replacements deletes the codes of the first.
    db
      .updateTable("two_factor")
      .set((stored) => ({ secret: stored.ref("secret") }))
      .where("account_id", "=", accountId),
    db.deleteFrom("backup_code").where("account_id", "=", accountId),
    db
      .insertInto("backup_code")
      .values(codeHashes.map((code_hash) => ({ account_id: accountId, code_hash }))),
    insertEventQuery(context, { action: "backup_codes_renewed", actor, accountId }),
  ]);
}

/**
 * Turns off two-factor sign-in: removes the second factor with its backup codes, and sign-ins that wait for a code.
 * Returns false if two-factor sign-in was not on.
 */
export async function turnOffTwoFactor(
  context: Context,
  { accountId, actor, notice }: OwnedTwoFactor & { readonly notice: Mail },
): Promise<boolean> {
  return context.database.transaction(async (db) => {
    const removedRow = await db
      .deleteFrom("two_factor")
      .where("account_id", "=", accountId)
      .returning("confirmed_at")
      .executeTakeFirst();
    await db.deleteFrom("backup_code").where("account_id", "=", accountId).execute();
    await db
      .deleteFrom("challenge")
      .where("account_id", "=", accountId)
      .where("kind", "=", "two_factor")
      .execute();
    const wasTurnedOn = removedRow !== undefined && removedRow.confirmed_at !== null;
    if (!wasTurnedOn) return false;
    await recordEvent(db, context, { action: "two_factor_turned_off", actor, accountId });
    await queueNotice(db, context, notice);
    return true;
  });
}

/** Returns the number of unused backup codes. */
export async function countBackupCodes(
  { database: { db } }: Context,
  accountId: string,
): Promise<number> {
  const row = await db
    .selectFrom("backup_code")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}
