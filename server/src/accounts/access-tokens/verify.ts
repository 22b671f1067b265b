import type { Context } from "#context.ts";
import { hashToken } from "#token.ts";
import { isAccessToken } from "./access-token.ts";
import { findTokenOwner, recordAccessTokenUse, type TokenOwner } from "./store.ts";

/** The minimum interval between writes of `lastUsedAt`, so that not every request writes. */
const LAST_USE_INTERVAL_MS = 60_000;

/** Returns the owner of a valid access token; null if it is unknown or revoked, or its owner is suspended. */
export async function verifyAccessToken(
  context: Context,
  token: string,
): Promise<TokenOwner | null> {
  if (!isAccessToken(token)) return null;
  const owner = await findTokenOwner(context, hashToken(token));
  if (owner === null) return null;
  const { tokenId, lastUsedAt } = owner;
  if (lastUsedAt === null || context.now() - lastUsedAt >= LAST_USE_INTERVAL_MS) {
    await recordAccessTokenUse(context, tokenId);
  }
  return owner;
}
