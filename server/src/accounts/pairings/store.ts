import type { Actor } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context } from "#context.ts";

/** A pairing that adds one more browser to an account, with the hashes of its secrets. */
export interface NewPairing {
  readonly id: string;
  readonly accountId: string;
  /** The session that created the pairing. The pairing ends with this session. */
  readonly sessionId: string;
  readonly tokenHash: string;
  /** Null if there is no code. */
  readonly codeHash: string | null;
  readonly expiresAt: number;
}

/** A pairing as its owner sees it. */
export interface Pairing {
  readonly id: string;
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

/** Stores a pairing with a code, and deletes the account's oldest pairings beyond `limit`. */
export async function insertPairing(
  context: Context,
  { limit, actor, ...pairing }: NewPairing & { readonly limit: number; readonly actor: Actor },
): Promise<void> {
  const { database } = context;
  const { id: subjectId, accountId } = pairing;
  await database.transaction(async (db) => {
    await database.engine.lockName(`pairings ${pairing.accountId}`).execute(db);
    await db.insertInto("pairing").values(toRow(pairing)).execute();
    const newestIds = db
      .selectFrom("pairing")
      .select("id")
      .where("account_id", "=", pairing.accountId)
      .where("code_hash", "is not", null)
      .orderBy("id", "desc")
      .limit(limit);
    await db
      .deleteFrom("pairing")
      .where("account_id", "=", pairing.accountId)
      .where("code_hash", "is not", null)
      .where("id", "not in", newestIds)
      .execute();
    await recordEvent(db, context, { action: "pairing_made", actor, accountId, subjectId });
  });
}

/** Records that a session was opened by a pairing, and stores the pairing of its install token, if any. */
export async function insertPairedSession(
  { database }: Context,
  {
    sessionId,
    installPairing,
  }: { readonly sessionId: string; readonly installPairing: NewPairing | null },
): Promise<void> {
  const { db } = database;
  await database.atomically([
    db.insertInto("paired_session").values({ session_id: sessionId }),
    ...(installPairing === null ? [] : [db.insertInto("pairing").values(toRow(installPairing))]),
  ]);
}

/**
 * Uses up a pairing and returns its account. Only one of several concurrent requests succeeds. Returns null if the
 * pairing is used, expired or unknown. `isFirstBrowser` is false for the pairing of an install token, which has no
 * code.
 */
export async function spendPairing(
  { database: { db }, now }: Context,
  lookup: { readonly column: "token_hash" | "code_hash"; readonly hash: string },
): Promise<{ readonly accountId: string; readonly isFirstBrowser: boolean } | null> {
  const row = await db
    .updateTable("pairing")
    .set({ used_at: now() })
    .where(lookup.column, "=", lookup.hash)
    .where("used_at", "is", null)
    .where("expires_at", ">", now())
    .returning(["account_id as accountId", "code_hash as codeHash"])
    .executeTakeFirst();
  return row === undefined
    ? null
    : { accountId: row.accountId, isFirstBrowser: row.codeHash !== null };
}

/**
 * Returns the account of an unused, unexpired code if the account has this email address and is not suspended;
 * otherwise null.
 */
export async function findUsablePairing(
  { database: { db }, now }: Context,
  { codeHash, email }: { readonly codeHash: string; readonly email: string },
): Promise<{ readonly accountId: string } | null> {
  const row = await db
    .selectFrom("pairing")
    .innerJoin("account", "account.id", "pairing.account_id")
    .select("pairing.account_id as accountId")
    .where("pairing.code_hash", "=", codeHash)
    .where("pairing.used_at", "is", null)
    .where("pairing.expires_at", ">", now())
    .where("account.email", "=", email.trim().toLowerCase())
    .where("account.suspended_at", "is", null)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns a pairing with a code, by account and id; null if there is none. */
export async function findPairing(
  { database: { db } }: Context,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<Pairing | null> {
  const row = await db
    .selectFrom("pairing")
    .select(["id", "expires_at as expiresAt", "used_at as usedAt"])
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .where("code_hash", "is not", null)
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes a pairing of an account; returns false if there is none. */
export async function removePairing(
  { database: { db } }: Context,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<boolean> {
  const row = await db
    .deleteFrom("pairing")
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .where("code_hash", "is not", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns whether a session was opened by a pairing, without proof of identity. */
export async function isPairedSession(
  { database: { db } }: Context,
  sessionId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("paired_session")
    .select("session_id")
    .where("session_id", "=", sessionId)
    .executeTakeFirst();
  return row !== undefined;
}

function toRow({ id, accountId, sessionId, tokenHash, codeHash, expiresAt }: NewPairing) {
  return {
    id,
    account_id: accountId,
    session_id: sessionId,
    token_hash: tokenHash,
    code_hash: codeHash,
    expires_at: expiresAt,
    used_at: null,
  };
}
