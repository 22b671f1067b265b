import type { Context } from "#context.ts";
import { hashToken } from "#token.ts";
import { isAccessToken } from "./access-token.ts";
import { findTokenOwner, touchAccessToken, type TokenOwner } from "./store.ts";

/** Precision of the time of last use, so that not every request writes. */
const TOUCH_INTERVAL_MS = 60_000;

/** Returns the owner of a valid access token; null for an unknown or revoked one. */
export async function verifyAccessToken(
  context: Context,
  token: string,
): Promise<TokenOwner | null> {
  if (!isAccessToken(token)) return null;
  const owner = await findTokenOwner(context, hashToken(token));
  if (owner === null) return null;
  const { tokenId, lastUsedAt } = owner;
  if (lastUsedAt === null || context.now() - lastUsedAt >= TOUCH_INTERVAL_MS) {
    await touchAccessToken(context, tokenId);
  }
  return owner;
}
