import type { Kysely } from "kysely";
import type { Actor } from "#audit/event.ts";
import { recordEvent, runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { addWithinLimit } from "#database/add-within-limit.ts";
import type { Account } from "../account.ts";
import { ACCOUNT_COLUMNS, toAccount } from "../store/accounts.ts";
import { queueTokenNotice } from "./notices/store.ts";
import type { AccessToken } from "./access-token.ts";

/** An access token to store. */
export interface NewAccessToken {
  readonly id: string;
  readonly accountId: string;
  readonly label: string;
  readonly tokenHash: string;
  readonly actor: Actor;
  /** Maximum number of valid tokens of the account, including this one. */
  readonly limit: number;
  /** The server's base URL, for the email to the owner; null to send no email. */
  readonly noticeUrl: string | null;
}

/** Stores the hash of a new access token. Returns false if the account already has `limit` valid tokens. */
export async function insertAccessToken(context: Context, token: NewAccessToken): Promise<boolean> {
  const { id, accountId, label, tokenHash, limit, actor, noticeUrl: baseUrl } = token;
  const createdAt = context.now();
  const countTokens = (db: Kysely<Schema>) =>
    db
      .selectFrom("access_token")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("account_id", "=", accountId)
      .where("revoked_at", "is", null)
      .executeTakeFirstOrThrow();
  const row = {
    id,
    account_id: accountId,
    label,
    token_hash: tokenHash,
    created_at: createdAt,
  };
  const rowLimit = { name: `access tokens ${accountId}`, max: limit, count: countTokens };
  const result = await addWithinLimit(context.database, rowLimit, async (db) => {
    await db.insertInto("access_token").values(row).execute();
    await recordEvent(db, context, {
      action: "access_token_made",
      actor,
      accountId,
      subjectId: id,
    });
    if (baseUrl !== null) {
      await queueTokenNotice(db, context, { baseUrl, accountId, id, label, createdAt });
    }
    return "added";
  });
  return result !== "full";
}

/** Returns up to `limit` access tokens of an account, newest first, after the id `after`. */
export async function listAccessTokens(
  { database: { db } }: Context,
  { accountId, limit, after }: { accountId: string; limit: number; after: string | null },
): Promise<readonly AccessToken[]> {
  const tokens = db
    .selectFrom("access_token")
    .select(["id", "label", "created_at as createdAt", "last_used_at as lastUsedAt"])
    .where("account_id", "=", accountId)
    .where("revoked_at", "is", null)
    .orderBy("id", "desc")
    .limit(limit);
  return (after === null ? tokens : tokens.where("id", "<", after)).execute();
}

/** Revokes an access token of an account; returns false if there is none. */
export async function revokeAccessToken(
  context: Context,
  { id, accountId, actor }: { id: string; accountId: string; actor: Actor },
): Promise<boolean> {
  const revokedRow = await runAndRecord(
    context,
    (db) =>
      db
        .updateTable("access_token")
        .set({ revoked_at: context.now() })
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .where("revoked_at", "is", null)
        .returning("id")
        .executeTakeFirst(),
    () => ({ action: "access_token_revoked", actor, accountId, subjectId: id }),
  );
  return revokedRow !== undefined;
}

/** A valid access token and its owner. */
export interface TokenOwner {
  readonly tokenId: string;
  readonly lastUsedAt: number | null;
  readonly account: Account;
}

/** Returns the owner of a token, by the token's hash; null if it is unknown or revoked, or its owner is suspended. */
export async function findTokenOwner(
  { database: { db } }: Context,
  tokenHash: string,
): Promise<TokenOwner | null> {
  const row = await db
    .selectFrom("access_token")
    .innerJoin("account", "account.id", "access_token.account_id")
    .select(["access_token.id as tokenId", "access_token.last_used_at as lastUsedAt"])
    .select(ACCOUNT_COLUMNS)
    .where("access_token.token_hash", "=", tokenHash)
    .where("access_token.revoked_at", "is", null)
    .where("account.suspended_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { tokenId: row.tokenId, lastUsedAt: row.lastUsedAt, account: toAccount(row) };
}

/** Records that an access token is used now. */
export async function recordAccessTokenUse(
  { database: { db }, now }: Context,
  id: string,
): Promise<void> {
  await db.updateTable("access_token").set({ last_used_at: now() }).where("id", "=", id).execute();
}

/** Returns the number of valid access tokens of each account that has at least `minimum`. For administrators. */
export async function countAccessTokensByAccount(
  { database: { db } }: Context,
  minimum: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("access_token")
    .select(({ fn }) => ["account_id", fn.countAll().as("count")])
    .where("revoked_at", "is", null)
    .groupBy("account_id")
    .having(({ fn }) => fn.countAll(), ">=", minimum)
    .execute();
  return new Map(rows.map((row) => [row.account_id, Number(row.count)]));
}
