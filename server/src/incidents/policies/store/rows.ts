import type { ExpressionBuilder, Selectable } from "kysely";
import type { Schema } from "#database/schema.ts";
import type { EscalationPolicy, EscalationStep, PolicyManager, PolicyOwner } from "../policy.ts";

/** The columns of a policy. */
export const POLICY_COLUMNS = [
  "escalation_policy.id",
  "escalation_policy.account_id",
  "escalation_policy.team_id",
  "escalation_policy.name",
  "escalation_policy.steps",
  "escalation_policy.remind_after_s",
  "escalation_policy.created_at",
  "escalation_policy.updated_at",
] as const;

type PolicyRow = Omit<Selectable<Schema["escalation_policy"]>, "folded_name">;

/** Converts a row to a policy. */
export function toPolicy(row: PolicyRow): EscalationPolicy {
  return {
    id: row.id,
    owner:
      row.team_id === null
        ? // The table has a constraint that one of the two is not null.
          { kind: "account", accountId: row.account_id ?? "" }
        : { kind: "team", teamId: row.team_id },
    name: row.name,
    // Only `store/policies.ts` writes the column.
    steps: JSON.parse(row.steps) as readonly EscalationStep[],
    remindAfterSeconds: row.remind_after_s,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Returns the condition that a policy belongs to an owner. */
export function isOwnPolicy(owner: PolicyOwner) {
  return (eb: ExpressionBuilder<Schema, "escalation_policy">) =>
    owner.kind === "account"
      ? eb("escalation_policy.account_id", "=", owner.accountId)
      : eb("escalation_policy.team_id", "=", owner.teamId);
}

/** Returns the condition that the manager may change a policy. */
export function isManagedBy({ accountId, teamIds }: PolicyManager) {
  return (eb: ExpressionBuilder<Schema, "escalation_policy">) => {
    const isOwn = eb("account_id", "=", accountId);
    return teamIds.length === 0 ? isOwn : eb.or([isOwn, eb("team_id", "in", teamIds)]);
  };
}
