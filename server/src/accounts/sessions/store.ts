import type { Context } from "#context.ts";

/** A session as its owner sees it; moments in milliseconds since the epoch. */
export interface Session {
  readonly id: string;
  readonly createdAt: number;
  /** As exact as sessions are prolonged: a day. */
  readonly lastSeenAt: number;
  readonly userAgent: string | null;
  /** Opened because another session vouched for it. */
  readonly isPaired: boolean;
}

/** Returns up to `limit` sessions of an account that have not ended, newest first, after the id `after`. */
export async function listSessions(
  { database: { db }, now }: Context,
  input: { accountId: string; limit: number; after: string | null },
): Promise<readonly Session[]> {
  const { accountId, limit, after } = input;
  const all = db
    .selectFrom("session")
    .leftJoin("paired_session", "paired_session.session_id", "session.id")
    .select(["id", "created_at", "updated_at", "user_agent as userAgent", "session_id as pairedId"])
    .where("account_id", "=", accountId)
    .where("expires_at", ">", new Date(now()).toISOString())
    .orderBy("id", "desc")
    .limit(limit);
  const rows = await (after === null ? all : all.where("id", "<", after)).execute();
  return rows.map(({ id, created_at, updated_at, userAgent, pairedId }) => ({
    id,
    createdAt: new Date(created_at).getTime(),
    lastSeenAt: new Date(updated_at).getTime(),
    userAgent,
    isPaired: pairedId !== null,
  }));
}

/** Ends a session of an account; false where the account has no such session. */
export async function removeSession(
  { database: { db } }: Context,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<boolean> {
  const row = await db
    .deleteFrom("session")
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends every session of an account but one; all of them where that is null. */
export async function removeOtherSessions(
  { database: { db } }: Context,
  { accountId, but }: { readonly accountId: string; readonly but: string | null },
): Promise<void> {
  const all = db.deleteFrom("session").where("account_id", "=", accountId);
  await (but === null ? all : all.where("id", "<>", but)).execute();
}
