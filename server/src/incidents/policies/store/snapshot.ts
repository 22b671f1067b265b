import type { Context } from "#context.ts";
import { foldCase } from "#database/fold-case.ts";
import type { EscalationPolicy, PolicyOwner } from "../policy.ts";
import { isOwnPolicy, POLICY_COLUMNS, toPolicy } from "./rows.ts";

/** Returns the owner's policy with this id, or else with this name in any letter case; null if there is none. */
export async function findNamedPolicy(
  { database: { db } }: Context,
  { owner, idOrName }: { readonly owner: PolicyOwner; readonly idOrName: string },
): Promise<EscalationPolicy | null> {
  const rows = await db
    .selectFrom("escalation_policy")
    .select(POLICY_COLUMNS)
    .where(isOwnPolicy(owner))
    .where((eb) => eb.or([eb("id", "=", idOrName), eb("folded_name", "=", foldCase(idOrName))]))
    .execute();
  // One policy may have the id of another as its name.
  const row = rows.find(({ id }) => id === idOrName) ?? rows[0];
  return row === undefined ? null : toPolicy(row);
}

/** Returns the owner's policy that a key uses by default; null if it has none. */
export async function findPolicyOfKey(
  { database: { db } }: Context,
  { owner, keyId }: { readonly owner: PolicyOwner; readonly keyId: string },
): Promise<EscalationPolicy | null> {
  const row = await db
    .selectFrom("api_key")
    .innerJoin("escalation_policy", "escalation_policy.id", "api_key.escalation_policy_id")
    .select(POLICY_COLUMNS)
    .where("api_key.id", "=", keyId)
    .where(isOwnPolicy(owner))
    .executeTakeFirst();
  return row === undefined ? null : toPolicy(row);
}
