import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { ApiKey, KeyChange, OwnedKey } from "./api-key.ts";
import { updateKey } from "./store/keys.ts";
import type { KeyVerifier } from "./verify.ts";

/** The dependencies of changing a key. */
export interface KeyChangeDeps {
  readonly context: Context;
  readonly verifier: KeyVerifier;
}

/** Changes a key of the owner and returns it; null if there is none. Takes effect on this node immediately. */
export async function changeKey(
  { context, verifier }: KeyChangeDeps,
  ownedKey: OwnedKey & { readonly actor: Actor; readonly change: KeyChange },
): Promise<ApiKey | null> {
  const apiKey = await updateKey(context, ownedKey);
  if (apiKey !== null) verifier.evictKey(ownedKey.keyId);
  return apiKey;
}
