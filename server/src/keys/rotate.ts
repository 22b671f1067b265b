import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { isExpired, type IssuedKey, type OwnedKey } from "./api-key.ts";
import { draftKey, KEYS_MAX } from "./issue.ts";
import { findKey, replaceKey } from "./store/keys.ts";
import type { KeyVerifier } from "./verify.ts";

/** Default overlap, in seconds: one day. */
export const OVERLAP_DEFAULT_S = 86_400;

/** Maximum overlap, in seconds: 30 days. */
export const OVERLAP_MAX_S = 2_592_000;

/** Maximum number of valid keys during overlaps. It limits callers that keep rotating the newest key. */
const OVERLAPPING_KEYS_MAX = 2 * KEYS_MAX;

/** The dependencies of rotating a key. */
export interface RotateDeps {
  readonly context: Context;
  readonly verifier: KeyVerifier;
}

/**
 * Replaces a key by a new one with the same label, kind, team, expiry, shape and settings, and returns the new key. The
 * old key expires after the overlap, or at its own expiry if that is earlier. Returns null if the owners have no such
 * key. Throws `conflict` if the old key has expired, was already rotated or is revoked meanwhile, or if there are too
 * many valid keys.
 */
export async function rotateKey(
  { context, verifier }: RotateDeps,
  {
    overlapSeconds,
    actor,
    ...ownedKey
  }: OwnedKey & { readonly overlapSeconds: number; readonly actor: Actor },
): Promise<IssuedKey | null> {
  const oldKey = await findKey(context, ownedKey);
  if (oldKey === null) return null;
  const now = context.now();
  if (isExpired(oldKey, now))
    throw new AppError("conflict", "This key has expired. Create a new one.");
  if (oldKey.replacedBy !== null) throw createAlreadyReplacedError();
  const newKey = draftKey(context, oldKey);
  const overlapEnd = now + overlapSeconds * 1_000;
  const oldExpiresAt = Math.min(overlapEnd, oldKey.expiresAt ?? overlapEnd);
  const rotation = { ...ownedKey, oldExpiresAt, newKey, actor, limit: OVERLAPPING_KEYS_MAX };
  const apiKey = await replaceKey(context, rotation);
  if (apiKey === "full") throw createTooManyKeysError();
  if (apiKey === null) throw createAlreadyReplacedError();
  verifier.evictKey(ownedKey.keyId);
  return { key: newKey.key, apiKey };
}

function createTooManyKeysError(): AppError {
  const message = `There are already ${OVERLAPPING_KEYS_MAX} valid keys. Revoke one first.`;
  return new AppError("conflict", message);
}

function createAlreadyReplacedError(): AppError {
  const message = "This key was rotated or revoked already. Rotate the key that replaced it.";
  return new AppError("conflict", message);
}
