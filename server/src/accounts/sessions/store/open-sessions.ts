import { insertEventQuery } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { hashToken } from "#token.ts";
import type { Account } from "../../account.ts";
import { createSignedInEvent, type SignInProof } from "../../sign-in-event.ts";
import { ACCOUNT_COLUMNS, toAccount } from "../../store/accounts.ts";

/** A session to store. */
export interface NewSession {
  readonly id: string;
  readonly accountId: string;
  readonly token: string;
  readonly userAgent: string;
  readonly createdAt: number;
  readonly endsAt: number;
}

interface InsertedSession {
  readonly session: NewSession;
  readonly proof: SignInProof;
  /** False while a node of an earlier version finds sessions only by the plain token. */
  readonly isHashed: boolean;
}

/** A valid session of an account that may sign in. */
export interface OpenSession {
  readonly id: string;
  readonly account: Account;
  readonly createdAt: number;
  readonly endsAt: number;
}

/** The account of a new session. */
export interface SessionOwner {
  readonly account: Account;
  readonly isSuspended: boolean;
}

/** The prefix that marks a stored token as hashed. */
const HASH_PREFIX = "sha256:";
/** Tokens contain no colon, so that a stored hash, which contains one, is never a valid token. */
const TOKEN_PATTERN = /^[\w-]{16,64}$/;

/** Returns the account of a new session; null if the account no longer exists. */
export async function findSessionOwner(
  { database: { db } }: Context,
  accountId: string,
): Promise<SessionOwner | null> {
  const row = await db
    .selectFrom("account")
    .select([...ACCOUNT_COLUMNS, "account.suspended_at"])
    .where("id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { account: toAccount(row), isSuspended: row.suspended_at !== null };
}

/** Stores a session, with its token hashed or plain, and the sign-in event, in one commit. */
export async function insertSession(
  context: Context,
  { session, proof, isHashed }: InsertedSession,
): Promise<void> {
  const { database } = context;
  const { id: sessionId, accountId, token, userAgent, createdAt, endsAt } = session;
  const row = {
    id: sessionId,
    account_id: accountId,
    token: isHashed ? hashForStorage(token) : token,
    // The audit log stores the address for a limited time. A session may last longer.
    ip_address: null,
    user_agent: userAgent,
    expires_at: formatTime(endsAt),
    created_at: formatTime(createdAt),
    updated_at: formatTime(createdAt),
  };
  await database.atomically([
    database.db.insertInto("session").values(row),
    insertEventQuery(context, createSignedInEvent({ ...proof, accountId, sessionId })),
  ]);
}

/** Returns the session of a token; null if it has ended or its account is suspended. */
export async function findSession(
  { database: { db }, now }: Context,
  token: string,
): Promise<OpenSession | null> {
  if (!TOKEN_PATTERN.test(token)) return null;
  const row = await db
    .selectFrom("session")
    .innerJoin("account", "account.id", "session.account_id")
    .select(ACCOUNT_COLUMNS)
    .select(["session.id as sessionId", "session.created_at as createdAt"])
    .select("session.expires_at as endsAt")
    // Earlier versions stored the token itself, see `hashPlainTokens`.
    .where("session.token", "in", [hashForStorage(token), token])
    .where("session.expires_at", ">", formatTime(now()))
    .where("account.suspended_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.sessionId,
    account: toAccount(row),
    createdAt: new Date(row.createdAt).getTime(),
    endsAt: new Date(row.endsAt).getTime(),
  };
}

/** Extends a session; returns false if it ended meanwhile. */
export async function extendSession(
  { database: { db }, now }: Context,
  { id, endsAt }: { readonly id: string; readonly endsAt: number },
): Promise<boolean> {
  const row = await db
    .updateTable("session")
    .set({ expires_at: formatTime(endsAt), updated_at: formatTime(now()) })
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Replaces up to `limit` plain tokens of earlier versions by their hashes, and returns their number. Nodes of such a
 * version cannot find a session by its hash. Idempotent.
 */
export async function hashPlainTokens(context: Context, limit: number): Promise<number> {
  const { database } = context;
  const { db } = database;
  const rows = await db
    .selectFrom("session")
    .select(["id", "token"])
    .where("token", "not like", `${HASH_PREFIX}%`)
    .limit(limit)
    .execute();
  if (rows.length === 0) return 0;
  await database.atomically(
    rows.map(({ id, token }) =>
      db
        .updateTable("session")
        .set({ token: hashForStorage(token) })
        .where("id", "=", id)
        .where("token", "=", token),
    ),
  );
  return rows.length;
}

function hashForStorage(token: string): string {
  return `${HASH_PREFIX}${hashToken(token)}`;
}

/** Formats a time for its column. PostgreSQL reads the same format as SQLite. */
function formatTime(time: number): string {
  return new Date(time).toISOString();
}
