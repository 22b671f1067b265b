import type { Actor } from "#audit/event.ts";
import { runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";

/** A session as its owner sees it. All times are milliseconds since the epoch. */
export interface OwnSession {
  readonly id: string;
  readonly createdAt: number;
  /** Accurate to a day, because sessions are extended once a day. */
  readonly lastSeenAt: number;
  readonly userAgent: string | null;
  /** Whether the session was opened by a pairing, without proof of identity. */
  readonly isPaired: boolean;
}

/** Returns up to `limit` sessions of an account that have not ended, newest first, after the id `after`. */
export async function listSessions(
  { database: { db }, now }: Context,
  input: { accountId: string; limit: number; after: string | null },
): Promise<readonly OwnSession[]> {
  const { accountId, limit, after } = input;
  const query = db
    .selectFrom("session")
    .leftJoin("paired_session", "paired_session.session_id", "session.id")
    .select(["id", "created_at", "updated_at", "user_agent as userAgent", "session_id as pairedId"])
    .where("account_id", "=", accountId)
    .where("expires_at", ">", new Date(now()).toISOString())
    .orderBy("id", "desc")
    .limit(limit);
  const rows = await (after === null ? query : query.where("id", "<", after)).execute();
  return rows.map(({ id, created_at, updated_at, userAgent, pairedId }) => ({
    id,
    createdAt: new Date(created_at).getTime(),
    lastSeenAt: new Date(updated_at).getTime(),
    userAgent,
    isPaired: pairedId !== null,
  }));
}

/** Ends a session of an account. Returns false if the account has no session with this id. */
export async function endSession(
  context: Context,
  {
    accountId,
    id,
    actor,
  }: { readonly accountId: string; readonly id: string; readonly actor: Actor },
): Promise<boolean> {
  const row = await runAndRecord(
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

/** Ends every session of an account except `keptSessionId`; null ends all of them. */
export async function endOtherSessions(
  context: Context,
  input: {
    readonly accountId: string;
    readonly keptSessionId: string | null;
    readonly actor: Actor;
  },
): Promise<void> {
  const { accountId, keptSessionId, actor } = input;
  await runAndRecord(
    context,
    async (db) => {
      const deletion = db.deleteFrom("session").where("account_id", "=", accountId).returning("id");
      const endedSessions = await (
        keptSessionId === null ? deletion : deletion.where("id", "<>", keptSessionId)
      ).execute();
      return endedSessions.at(0);
    },
    () => ({ action: "sessions_ended", actor, accountId }),
  );
}
