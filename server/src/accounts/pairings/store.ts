import type { Actor } from "#audit/event.ts";
import { record } from "#audit/store.ts";
import type { Context } from "#context.ts";

/** A pairing that admits one more browser to an account, by hashes of its secrets. */
export interface NewPairing {
  readonly id: string;
  readonly accountId: string;
  /** The session that vouches: when it ends, so does the pairing. */
  readonly sessionId: string;
  readonly tokenHash: string;
  /** Null if there is no code to type. */
  readonly codeHash: string | null;
  readonly expiresAt: number;
}

/** A pairing as its owner sees it. */
export interface Pairing {
  readonly id: string;
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

/** Stores a pairing with a code, and deletes the oldest of the account beyond `most`. */
export async function insertPairing(
  context: Context,
  { most, by, ...pairing }: NewPairing & { readonly most: number; readonly by: Actor },
): Promise<void> {
  const { database } = context;
  const { id: subjectId, accountId } = pairing;
  await database.transaction(async (db) => {
    await database.engine.hold(`pairings ${pairing.accountId}`).execute(db);
    await db.insertInto("pairing").values(rowOf(pairing)).execute();
    const newest = db
      .selectFrom("pairing")
      .select("id")
      .where("account_id", "=", pairing.accountId)
      .where("code_hash", "is not", null)
      .orderBy("id", "desc")
      .limit(most);
    await db
      .deleteFrom("pairing")
      .where("account_id", "=", pairing.accountId)
      .where("code_hash", "is not", null)
      .where("id", "not in", newest)
      .execute();
    await record(db, context, { action: "pairing_made", by, accountId, subjectId });
  });
}

/** Records that a session was opened by a pairing, with the pairing of its install token, if any. */
export async function insertPairedSession(
  { database }: Context,
  { sessionId, next }: { readonly sessionId: string; readonly next: NewPairing | null },
): Promise<void> {
  const { db } = database;
  await database.atomically([
    db.insertInto("paired_session").values({ session_id: sessionId }),
    ...(next === null ? [] : [db.insertInto("pairing").values(rowOf(next))]),
  ]);
}

/** Uses up a pairing and returns its account: of many concurrent requests, one succeeds. Null if it is over. */
export async function usePairing(
  { database: { db }, now }: Context,
  by: { readonly column: "token_hash" | "code_hash"; readonly hash: string },
): Promise<{ readonly accountId: string; readonly isFirst: boolean } | null> {
  const row = await db
    .updateTable("pairing")
    .set({ used_at: now() })
    .where(by.column, "=", by.hash)
    .where("used_at", "is", null)
    .where("expires_at", ">", now())
    .returning(["account_id as accountId", "code_hash as codeHash"])
    .executeTakeFirst();
  return row === undefined ? null : { accountId: row.accountId, isFirst: row.codeHash !== null };
}

/** Returns a pairing of an account that has a code, until it is deleted. */
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

/** Deletes a pairing of an account; false if the account has no such pairing. */
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

/** Returns whether a session was opened by a pairing, without a proof of the person's identity. */
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

function rowOf({ id, accountId, sessionId, tokenHash, codeHash, expiresAt }: NewPairing) {
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
