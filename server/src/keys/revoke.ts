import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { OwnKey } from "./api-key.ts";
import { markRevoked } from "./store/keys.ts";
import type { KeyVerifier } from "./verify.ts";

export interface RevokeDeps {
  readonly context: Context;
  readonly verifier: KeyVerifier;
}

/** Revokes a key of the owner; false if there is none. Takes effect on this node at once. */
export async function revokeKey(
  { context, verifier }: RevokeDeps,
  own: OwnKey & { readonly by: Actor },
): Promise<boolean> {
  const isRevoked = await markRevoked(context, own);
  if (isRevoked) verifier.forget(own.keyId);
  return isRevoked;
}
