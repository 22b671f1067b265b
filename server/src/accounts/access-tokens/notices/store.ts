import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { NOTICE_SPAN_MS, oweGathered } from "#mail/store/held.ts";
import { confirmedAddress } from "../../store/addresses.ts";
import { newTokensMail, TOKEN_NOTICE, type NoticeToken } from "./mail.ts";

/** Maximum number of tokens listed in one mail. */
const NAMED_MAX = 20;

/** A token created by the current transaction, and the server's base URL. */
export interface CreatedToken extends NoticeToken {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly id: string;
}

/**
 * Queues the mail that notifies an account of an access token, in the transaction that creates it and locks the
 * account's tokens. The first mail is sent immediately. Tokens that follow shortly share one mail. An account without a
 * confirmed address gets none.
 */
export async function queueTokenNotice(
  db: Kysely<Schema>,
  context: Context,
  { baseUrl, accountId, id, label, createdAt }: CreatedToken,
): Promise<void> {
  const to = await confirmedAddress(db, accountId);
  if (to === null) return;
  const target = { baseUrl, to };
  const earlier = await tokensSince(db, { accountId, since: createdAt - NOTICE_SPAN_MS + 1 })
    .select("id")
    .where("id", "<>", id)
    .limit(1)
    .executeTakeFirst();
  const single = { tokens: [{ label, createdAt }], count: 1 };
  await oweGathered(db, context, {
    purpose: TOKEN_NOTICE,
    to,
    at: createdAt,
    first: earlier === undefined ? newTokensMail(target, single) : null,
    more: async (since) => newTokensMail(target, await listNamedTokens(db, { accountId, since })),
  });
}

interface Since {
  readonly accountId: string;
  readonly since: number;
}

/** Includes revoked tokens, because they were valid once. */
function tokensSince(db: Kysely<Schema>, { accountId, since }: Since) {
  return db
    .selectFrom("access_token")
    .where("account_id", "=", accountId)
    .where("created_at", ">=", since);
}

async function listNamedTokens(db: Kysely<Schema>, since: Since) {
  const newTokens = tokensSince(db, since);
  const tokens = await newTokens
    .select(["label", "created_at as createdAt"])
    .orderBy("id")
    .limit(NAMED_MAX)
    .execute();
  const { count } = await newTokens
    .select(({ fn }) => fn.countAll().as("count"))
    .executeTakeFirstOrThrow();
  return { tokens, count: Number(count) };
}
