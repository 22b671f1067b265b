import type { Context } from "#context.ts";
import { invalidField } from "#errors.ts";
import type { EscalationPolicy, PolicyContent, PolicyOwner } from "./policy.ts";
import { findNamedPolicy, findPolicyOfKey } from "./store/snapshot.ts";

/**
 * The policy of an incident as it was when the incident began to ring. Later changes of the policy do not affect it.
 */
export interface PolicySnapshot extends PolicyContent {
  readonly policyId: string;
}

/** A key that opens an incident, and the policy that its request names. */
export interface SnapshotRequest {
  /** The owner of the key: `teamId` is null for an account key. */
  readonly owner: { readonly accountId: string; readonly teamId: string | null };
  readonly keyId: string;
  /** The field `escalation` of the request; null if it names no policy. */
  readonly idOrName: string | null;
}

/**
 * Returns the policy that a request names, otherwise the policy of its key, otherwise null. Takes one read. Throws
 * `invalid_field` if the owner of the key has no policy with this id or name.
 */
export async function findPolicySnapshot(
  context: Context,
  { owner: { accountId, teamId }, keyId, idOrName }: SnapshotRequest,
): Promise<PolicySnapshot | null> {
  const owner: PolicyOwner =
    teamId === null ? { kind: "account", accountId } : { kind: "team", teamId };
  if (idOrName === null) {
    const policy = await findPolicyOfKey(context, { owner, keyId });
    return policy === null ? null : toSnapshot(policy);
  }
  const policy = await findNamedPolicy(context, { owner, idOrName: idOrName.trim() });
  if (policy === null) throw createUnknownPolicyError(idOrName);
  return toSnapshot(policy);
}

function toSnapshot({ id, name, steps, remindAfterSeconds }: EscalationPolicy): PolicySnapshot {
  return { policyId: id, name, steps, remindAfterSeconds };
}

/** Maximum length of a caller's text in an error message. */
const QUOTED_LENGTH_MAX = 80;

/** Returns the same error for another owner's policy as for a missing one. */
function createUnknownPolicyError(idOrName: string) {
  const quoted = idOrName.slice(0, QUOTED_LENGTH_MAX).toWellFormed();
  return invalidField(
    "escalation",
    `There is no escalation policy “${quoted}”. Create it in the console under Policies.`,
  );
}
