import { hashPlainTokens } from "#accounts/sessions/store/open-sessions.ts";
import type { Context, DatabaseContext } from "#context.ts";
import { hashedSessions } from "#database/migrations/0038-hashed-sessions.ts";
import { hasNodesBefore } from "#nodes/store.ts";

/**
 * Returns whether every node on the database can find a session by the hash of its token. Earlier versions know only
 * the token.
 */
export async function mayHashTokens({ database }: DatabaseContext): Promise<boolean> {
  return !(await hasNodesBefore(database, hashedSessions.name));
}

/**
 * Replaces up to `limit` tokens by their hashes if every node can find a hash, and returns their number. Idempotent.
 */
export async function hashEarlierTokens(context: Context, limit: number): Promise<number> {
  return (await mayHashTokens(context)) ? hashPlainTokens(context, limit) : 0;
}
