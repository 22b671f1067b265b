import type { Actor } from "#audit/event.ts";
import { recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";

/** A session as its owner sees it. All times are milliseconds since the epoch. */
export interface OwnSession {
  readonly id: string;
  readonly createdAt: number;
  /** Accurate to a day, because sessions are extended once a day. */
  readonly lastSeenAt: number;
  readonly userAgent: string | null;
  /** Whether the session was opened by a pairing, without a proof of identity. */
  readonly isPaired: boolean;
}

/** Returns up to `limit` sessions of an account that have not ended, newest first, after the id `after`. */
export async function listSessions(
  { database: { db }, now }: Context,
  input: { accountId: string; limit: number; after: string | null },
): Promise<readonly OwnSession[]> {
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

/** Ends a session of an account; returns false if there is none. */
export async function removeSession(
  context: Context,
  {
    accountId,
    id,
    actor,
  }: { readonly accountId: string; readonly id: string; readonly actor: Actor },
): Promise<boolean> {
  const row = await recorded(
    context,
    (db) =>
      db
        .deleteFrom("session")
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .returning("id")
        .executeTakeFirst(),
    () => ({ action: "session_ended", actor, accountId, subjectId: id }),
  );
  return row !== undefined;
}

/** Ends every session of an account except `exceptId`; all of them if that is null. */
export async function removeOtherSessions(
  context: Context,
  input: { readonly accountId: string; readonly exceptId: string | null; readonly actor: Actor },
): Promise<void> {
  const { accountId, exceptId, actor } = input;
  await recorded(
    context,
    async (db) => {
      const all = db.deleteFrom("session").where("account_id", "=", accountId).returning("id");
      const ended = await (exceptId === null ? all : all.where("id", "<>", exceptId)).execute();
      return ended.at(0);
    },
    () => ({ action: "sessions_ended", actor, accountId }),
  );
}
