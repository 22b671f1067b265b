import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { OwnedKey } from "./api-key.ts";
import { markKeyRevoked } from "./store/revocation.ts";
import type { KeyVerifier } from "./verify.ts";

/** The dependencies of revoking a key. */
export interface RevokeDeps {
  readonly context: Context;
  readonly verifier: KeyVerifier;
}

/** Revokes a key of the owners; returns false if there is none. Takes effect on this node immediately. */
export async function revokeKey(
  { context, verifier }: RevokeDeps,
  ownedKey: OwnedKey & { readonly actor: Actor },
): Promise<boolean> {
  const isRevoked = await markKeyRevoked(context, ownedKey);
  if (isRevoked) verifier.evictKey(ownedKey.keyId);
  return isRevoked;
}
