import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { ApiKey, KeyChange, OwnKey } from "./api-key.ts";
import { updateKey } from "./store/keys.ts";
import type { KeyVerifier } from "./verify.ts";

export interface KeyChangeDeps {
  readonly context: Context;
  readonly verifier: KeyVerifier;
}

/** Changes a key of the owner and returns it; null if there is none. Takes effect on this node at once. */
export async function changeKey(
  { context, verifier }: KeyChangeDeps,
  own: OwnKey & { readonly by: Actor; readonly change: KeyChange },
): Promise<ApiKey | null> {
  const changed = await updateKey(context, own);
  if (changed !== null) verifier.forget(own.keyId);
  return changed;
}
