import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Engine } from "#database/engine.ts";
import type { Schema } from "#database/schema.ts";

/**
 * Returns whether the owner of a key has this escalation policy, and locks the policy until the transaction ends: a
 * removal at the same time then finds the key.
 */
export async function lockEscalationPolicy(
  db: Kysely<Schema>,
  { lockRows }: Engine,
  input: {
    readonly accountId: string;
    /** Null for an account key. */
    readonly teamId: string | null;
    readonly policyId: string;
  },
): Promise<boolean> {
  const { accountId, teamId, policyId } = input;
  const policies = db.selectFrom("escalation_policy").select("id").where("id", "=", policyId);
  const ownPolicies =
    teamId === null
      ? policies.where("account_id", "=", accountId)
      : policies.where("team_id", "=", teamId);
  const row = await (
    lockRows === null ? ownPolicies : ownPolicies.modifyEnd(lockRows)
  ).executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the query that takes an escalation policy from all keys, for the transaction that removes the policy. It must
 * run after the removal, which waits for keys that choose the policy at the same time.
 */
export function clearEscalationPolicyQuery(
  { database: { db } }: Context,
  policyId: string,
): Compilable {
  return db
    .updateTable("api_key")
    .set({ escalation_policy_id: null })
    .where("escalation_policy_id", "=", policyId);
}
