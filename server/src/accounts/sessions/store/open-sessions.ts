import { auditInsert } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { hashToken } from "#token.ts";
import type { Account } from "../../account.ts";
import { signedIn, type Entrance } from "../../sign-in-event.ts";
import { ACCOUNT_COLUMNS, accountOf } from "../../store/accounts.ts";

/** A session to be stored. */
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
  readonly entrance: Entrance;
  /** False while a node of an earlier version finds sessions only by the token itself. */
  readonly isHashed: boolean;
}

/** A session that has not ended, of an account that may sign in. */
export interface OpenSession {
  readonly id: string;
  readonly account: Account;
  readonly createdAt: number;
  readonly endsAt: number;
}

/** An account that proved its identity. */
export interface Opener {
  readonly account: Account;
  readonly isSuspended: boolean;
}

/** Prefix of hashed tokens. */
const HASHED = "sha256:";
/** Tokens have none of the colons of stored hashes, so that a hash from a copy of the database is no token. */
const TOKEN_FORM = /^[\w-]{16,64}$/;

/** Returns an account for which a session is to be opened; null where it is gone. */
export async function findOpener(
  { database: { db } }: Context,
  accountId: string,
): Promise<Opener | null> {
  const row = await db
    .selectFrom("account")
    .select([...ACCOUNT_COLUMNS, "account.suspended_at"])
    .where("id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { account: accountOf(row), isSuspended: row.suspended_at !== null };
}

/** Stores a session, by the hash of its token or by the token itself, and in the same commit the event that somebody signed in. */
export async function insertSession(
  context: Context,
  { session, entrance, isHashed }: InsertedSession,
): Promise<void> {
  const { database } = context;
  const { id: sessionId, accountId, token, userAgent, createdAt, endsAt } = session;
  const row = {
    id: sessionId,
    account_id: accountId,
    token: isHashed ? hashed(token) : token,
    // The audit log has the address, for as long as it may be kept: a session that is used lasts longer.
    ip_address: null,
    user_agent: userAgent,
    expires_at: momentOf(endsAt),
    created_at: momentOf(createdAt),
    updated_at: momentOf(createdAt),
  };
  await database.atomically([
    database.db.insertInto("session").values(row),
    auditInsert(context, signedIn({ ...entrance, accountId, sessionId })),
  ]);
}

/** Returns the session of a token; null where it has ended, or its account is suspended. */
export async function findSession(
  { database: { db }, now }: Context,
  token: string,
): Promise<OpenSession | null> {
  if (!TOKEN_FORM.test(token)) return null;
  const row = await db
    .selectFrom("session")
    .innerJoin("account", "account.id", "session.account_id")
    .select(ACCOUNT_COLUMNS)
    .select(["session.id as sessionId", "session.created_at as createdAt"])
    .select("session.expires_at as endsAt")
    // Earlier versions stored the token itself, see `hashTokens`.
    .where("session.token", "in", [hashed(token), token])
    .where("session.expires_at", ">", momentOf(now()))
    .where("account.suspended_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.sessionId,
    account: accountOf(row),
    createdAt: new Date(row.createdAt).getTime(),
    endsAt: new Date(row.endsAt).getTime(),
  };
}

/** Moves the end of a session; returns false where it has ended meanwhile. */
export async function prolongSession(
  { database: { db }, now }: Context,
  { id, endsAt }: { readonly id: string; readonly endsAt: number },
): Promise<boolean> {
  const row = await db
    .updateTable("session")
    .set({ expires_at: momentOf(endsAt), updated_at: momentOf(now()) })
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Replaces up to `limit` tokens that earlier versions stored as they are by their hashes, and returns how many. Nodes of such a
 * version find no session by a hash. Idempotent.
 */
export async function hashTokens(context: Context, limit: number): Promise<number> {
  const { database } = context;
  const { db } = database;
  const rows = await db
    .selectFrom("session")
    .select(["id", "token"])
    .where("token", "not like", `${HASHED}%`)
    .limit(limit)
    .execute();
  if (rows.length === 0) return 0;
  await database.atomically(
    rows.map(({ id, token }) =>
      db
        .updateTable("session")
        .set({ token: hashed(token) })
        .where("id", "=", id)
        .where("token", "=", token),
    ),
  );
  return rows.length;
}

function hashed(token: string): string {
  return `${HASHED}${hashToken(token)}`;
}

/** Returns a moment as its column has it: text on SQLite, and PostgreSQL reads the same. */
function momentOf(time: number): string {
  return new Date(time).toISOString();
}
