import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { ApiKey, KeyChange, OwnKey } from "./api-key.ts";
import { updateKey } from "./store/keys.ts";
import type { KeyVerifier } from "./verify.ts";

export interface ChangeDeps {
  readonly context: Context;
  readonly verifier: KeyVerifier;
}

/** Changes a key of the owner, on this node at once, and returns it; null where there is none. */
export async function changeKey(
  { context, verifier }: ChangeDeps,
  own: OwnKey & { readonly by: Actor; readonly change: KeyChange },
): Promise<ApiKey | null> {
  const changed = await updateKey(context, own);
  if (changed !== null) verifier.forget(own.keyId);
  return changed;
}
