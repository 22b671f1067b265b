import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { isExpired, type IssuedKey, type OwnKey } from "./api-key.ts";
import { draftKey, KEYS_MAX } from "./issue.ts";
import { findKey, replaceKey } from "./store/keys.ts";
import type { KeyVerifier } from "./verify.ts";

/** The default overlap, in seconds: a day. */
export const OVERLAP_DEFAULT_S = 86_400;

/** 30 days. */
export const OVERLAP_MAX_S = 2_592_000;

/** Each key may be rotated once while it overlaps, so this limits callers that keep rotating the new one. */
const OVERLAPPING_MAX = 2 * KEYS_MAX;

export interface RotateDeps {
  readonly context: Context;
  readonly verifier: KeyVerifier;
}

/**
 * Returns a new key with the label, kind, team, expiry and switches of an old one, which expires after the overlap or
 * at its own expiry, if that is earlier; null if the owner has no such key. Throws `conflict` if the old key has
 * expired or was already replaced.
 */
export async function rotateKey(
  { context, verifier }: RotateDeps,
  { overlapSeconds, by, ...own }: OwnKey & { readonly overlapSeconds: number; readonly by: Actor },
): Promise<IssuedKey | null> {
  const old = await findKey(context, own);
  if (old === null) return null;
  const now = context.now();
  if (isExpired(old, now))
    throw new AppError("conflict", "This key has expired. Create a new one.");
  if (old.replacedBy !== null) throw replacedAlready();
  const issued = draftKey(context, old);
  const overlapEnd = now + overlapSeconds * 1_000;
  const oldExpiresAt = Math.min(overlapEnd, old.expiresAt ?? overlapEnd);
  const rotated = { ...own, oldExpiresAt, issued, by, most: OVERLAPPING_MAX };
  const apiKey = await replaceKey(context, rotated);
  if (apiKey === "full") throw tooManyOverlap();
  if (apiKey === null) throw replacedAlready();
  verifier.forget(own.keyId);
  return { key: issued.key, apiKey };
}

function tooManyOverlap(): AppError {
  const message = `There are already ${OVERLAPPING_MAX} valid keys. Revoke one first.`;
  return new AppError("conflict", message);
}

function replacedAlready(): AppError {
  const message = "This key was rotated or revoked already. Rotate the key that replaced it.";
  return new AppError("conflict", message);
}
