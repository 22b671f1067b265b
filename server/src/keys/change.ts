import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { invalidField } from "#errors.ts";
import type { ApiKey, KeyChange, OwnedKey } from "./api-key.ts";
import { updateKey } from "./store/change.ts";
import type { KeyVerifier } from "./verify.ts";

/** The dependencies of changing a key. */
export interface KeyChangeDeps {
  readonly context: Context;
  readonly verifier: KeyVerifier;
}

/**
 * Changes a key of the owners and returns it; null if there is none. Takes effect on this node immediately. Throws
 * `invalid_field` if the key's owner has no such escalation policy.
 */
export async function changeKey(
  { context, verifier }: KeyChangeDeps,
  ownedKey: OwnedKey & { readonly actor: Actor; readonly change: KeyChange },
): Promise<ApiKey | null> {
  const apiKey = await updateKey(context, ownedKey);
  if (apiKey === "unknown_policy") throw createUnknownPolicyError();
  if (apiKey !== null) verifier.evictKey(ownedKey.keyId);
  return apiKey;
}

/** Returns the same error for another owner's policy as for a missing one. */
function createUnknownPolicyError() {
  return invalidField(
    "escalationPolicyId",
    "escalationPolicyId must be an escalation policy of the key's owner: mine for an account key, the team's for a team key.",
  );
}
