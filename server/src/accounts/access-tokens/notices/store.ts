import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { NOTICE_INTERVAL_MS, queueCombinedNotice } from "#mail/store/held-mails.ts";
import { findVerifiedAddress } from "../../store/addresses.ts";
import { createNewTokensMail, TOKEN_NOTICE, type ListedToken } from "./mail.ts";

/** Maximum number of tokens listed in one email. */
const LISTED_TOKENS_MAX = 20;

/** A token created by the current transaction, and the server's base URL. */
export interface CreatedToken extends ListedToken {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly id: string;
}

/**
 * Queues the email about a new access token. Call it in the transaction that creates the token and holds the lock on
 * the account's tokens. The first email is sent immediately. Tokens created within `NOTICE_INTERVAL_MS` after it share
 * one email. An account without a verified address gets none.
 */
export async function queueTokenNotice(
  db: Kysely<Schema>,
  context: Context,
  { baseUrl, accountId, id, label, createdAt }: CreatedToken,
): Promise<void> {
  const to = await findVerifiedAddress(db, accountId);
  if (to === null) return;
  const target = { baseUrl, to };
  const earlierToken = await selectTokensSince(db, {
    accountId,
    fromAt: createdAt - NOTICE_INTERVAL_MS + 1,
  })
    .select("id")
    .where("id", "<>", id)
    .limit(1)
    .executeTakeFirst();
  const onlyThisToken = { tokens: [{ label, createdAt }], count: 1 };
  await queueCombinedNotice(db, context, {
    purpose: TOKEN_NOTICE,
    to,
    happenedAt: createdAt,
    firstMail: earlierToken === undefined ? createNewTokensMail(target, onlyThisToken) : null,
    createCombinedMail: async (startsAt) =>
      createNewTokensMail(target, await listNewTokens(db, { accountId, fromAt: startsAt })),
  });
}

interface NewTokenSelection {
  readonly accountId: string;
  readonly fromAt: number;
}

/**
 * Returns a query for the tokens created since a time, including revoked ones: an attacker could revoke a token to hide
 * it.
 */
function selectTokensSince(db: Kysely<Schema>, { accountId, fromAt }: NewTokenSelection) {
  return db
    .selectFrom("access_token")
    .where("account_id", "=", accountId)
    .where("created_at", ">=", fromAt);
}

async function listNewTokens(db: Kysely<Schema>, selection: NewTokenSelection) {
  const newTokens = selectTokensSince(db, selection);
  const tokens = await newTokens
    .select(["label", "created_at as createdAt"])
    .orderBy("id")
    .limit(LISTED_TOKENS_MAX)
    .execute();
  const { count } = await newTokens
    .select(({ fn }) => fn.countAll().as("count"))
    .executeTakeFirstOrThrow();
  return { tokens, count: Number(count) };
}
