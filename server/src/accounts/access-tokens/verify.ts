import type { Context } from "#context.ts";
import { hashSecret } from "#secret.ts";
import type { Account } from "../account.ts";
import { isAccessToken } from "./access-token.ts";
import { findTokenOwner, touchAccessToken } from "./store.ts";

/** The time of last use is as exact as this, so that reading does not mean writing. */
const TOUCH_INTERVAL_MS = 60_000;

/** Returns the account that a token signs in; null for one that is unknown or revoked. */
export async function verifyAccessToken(context: Context, token: string): Promise<Account | null> {
  if (!isAccessToken(token)) return null;
  const owner = await findTokenOwner(context, hashSecret(token));
  if (owner === null) return null;
  const { tokenId, lastUsedAt, account } = owner;
  if (lastUsedAt === null || context.now() - lastUsedAt >= TOUCH_INTERVAL_MS) {
    await touchAccessToken(context, tokenId);
  }
  return account;
}
