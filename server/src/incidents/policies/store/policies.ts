import type { Kysely } from "kysely";
import type { Actor, AuditEvent } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { addWithinLimit } from "#database/add-within-limit.ts";
import type { Compilable } from "#database/database.ts";
import { foldCase } from "#database/fold-case.ts";
import type { Schema } from "#database/schema.ts";
import { clearEscalationPolicyQuery } from "#keys/store/escalation-policy.ts";
import {
  getOwnerId,
  type EscalationPolicy,
  type PolicyContent,
  type PolicyManager,
  type PolicyOwner,
} from "../policy.ts";
import { isManagedBy, isOwnPolicy, POLICY_COLUMNS, toPolicy } from "./rows.ts";

/** Returns the policies that the manager may change, with ids greater than `after`, oldest first. */
export async function listPolicies(
  { database: { db } }: Context,
  input: {
    readonly manager: PolicyManager;
    readonly after: string | null;
    readonly limit: number;
  },
): Promise<readonly EscalationPolicy[]> {
  const rows = await db
    .selectFrom("escalation_policy")
    .select(POLICY_COLUMNS)
    .where(isManagedBy(input.manager))
    .where("id", ">", input.after ?? "")
    .orderBy("id")
    .limit(input.limit)
    .execute();
  return rows.map((row) => toPolicy(row));
}

/** Returns a policy that the manager may change; null if there is none with this id. */
export async function findPolicy(
  { database: { db } }: Context,
  { manager, policyId }: { readonly manager: PolicyManager; readonly policyId: string },
): Promise<EscalationPolicy | null> {
  const row = await db
    .selectFrom("escalation_policy")
    .select(POLICY_COLUMNS)
    .where(isManagedBy(manager))
    .where("id", "=", policyId)
    .executeTakeFirst();
  return row === undefined ? null : toPolicy(row);
}

/**
 * Stores a new policy; returns `full` if its owner already has `max` policies, and `name_taken` if one of them has this
 * name in any letter case.
 */
export async function insertPolicy(
  context: Context,
  { policy, actor, max }: PolicyToStore & { readonly max: number },
): Promise<"stored" | "full" | "name_taken"> {
  const { owner, name } = policy;
  const count = (db: Kysely<Schema>) =>
    db
      .selectFrom("escalation_policy")
      .select(({ fn }) => fn.countAll().as("count"))
      .where(isOwnPolicy(owner))
      .executeTakeFirstOrThrow();
  const limit = { name: toLockName(owner), max, count };
  return addWithinLimit(context.database, limit, async (db) => {
    if (await isNameTaken(db, policy)) return "name_taken" as const;
    await db
      .insertInto("escalation_policy")
      .values({
        id: policy.id,
        account_id: owner.kind === "account" ? owner.accountId : null,
        team_id: owner.kind === "team" ? owner.teamId : null,
        name,
        folded_name: foldCase(name),
        steps: JSON.stringify(policy.steps),
        remind_after_s: policy.remindAfterSeconds,
        created_at: policy.createdAt,
        updated_at: policy.updatedAt,
      })
      .execute();
    await recordEvent(db, context, {
      action: "escalation_policy_made",
      ...toAuditFields(policy, actor),
    });
    return "stored" as const;
  });
}

/** A policy, and the actor who stores it. */
interface PolicyToStore {
  readonly policy: EscalationPolicy;
  readonly actor: Actor;
}

/**
 * Changes a policy of its owner and returns it; null if it was removed meanwhile; `name_taken` if the owner has another
 * policy with the new name. Records no event if nothing changes.
 */
export async function updatePolicy(
  context: Context,
  input: {
    readonly owner: PolicyOwner;
    readonly policyId: string;
    readonly change: Partial<PolicyContent>;
    readonly actor: Actor;
  },
): Promise<EscalationPolicy | "name_taken" | null> {
  const { owner, policyId, change, actor } = input;
  const { database, now } = context;
  return database.transaction(async (db) => {
    await database.engine.lockName(toLockName(owner)).execute(db);
    const row = await db
      .selectFrom("escalation_policy")
      .select(POLICY_COLUMNS)
      .where("id", "=", policyId)
      .where(isOwnPolicy(owner))
      .executeTakeFirst();
    if (row === undefined) return null;
    const oldPolicy = toPolicy(row);
    const policy = { ...oldPolicy, ...change };
    if (JSON.stringify(policy) === JSON.stringify(oldPolicy)) return oldPolicy;
    if (await isNameTaken(db, policy)) return "name_taken";
    const changedPolicy = { ...policy, updatedAt: now() };
    await updatePolicyRow(db, changedPolicy);
    const fields = toAuditFields(policy, actor);
    await recordEvent(db, context, { action: "escalation_policy_changed", ...fields });
    return changedPolicy;
  });
}

async function updatePolicyRow(db: Kysely<Schema>, policy: EscalationPolicy): Promise<void> {
  await db
    .updateTable("escalation_policy")
    .set({
      name: policy.name,
      folded_name: foldCase(policy.name),
      steps: JSON.stringify(policy.steps),
      remind_after_s: policy.remindAfterSeconds,
      updated_at: policy.updatedAt,
    })
    .where("id", "=", policy.id)
    .where(isOwnPolicy(policy.owner))
    .execute();
}

/** Removes a policy, also from the keys that use it, in one commit. Returns false if the manager has no such policy. */
export async function deletePolicy(
  context: Context,
  input: {
    readonly manager: PolicyManager;
    readonly policyId: string;
    readonly actor: Actor;
  },
): Promise<boolean> {
  const { manager, policyId, actor } = input;
  return context.database.transaction(async (db) => {
    const row = await db
      .deleteFrom("escalation_policy")
      .where("id", "=", policyId)
      .where(isManagedBy(manager))
      .returning(POLICY_COLUMNS)
      .executeTakeFirst();
    if (row === undefined) return false;
    await db.executeQuery(clearEscalationPolicyQuery(context, policyId).compile());
    const fields = toAuditFields(toPolicy(row), actor);
    await recordEvent(db, context, { action: "escalation_policy_removed", ...fields });
    return true;
  });
}

/** Returns the query that removes the policies of an owner, for the transaction that also ends the owner's keys. */
export function deletePoliciesQuery({ database: { db } }: Context, owner: PolicyOwner): Compilable {
  return db.deleteFrom("escalation_policy").where(isOwnPolicy(owner));
}

/**
 * Returns the name of the lock that every change to an owner's policies takes, so that no two policies get the same
 * name.
 */
function toLockName(owner: PolicyOwner): string {
  return `escalation policies ${getOwnerId(owner)}`;
}

async function isNameTaken(
  db: Kysely<Schema>,
  { id, owner, name }: EscalationPolicy,
): Promise<boolean> {
  const row = await db
    .selectFrom("escalation_policy")
    .select("id")
    .where(isOwnPolicy(owner))
    .where("folded_name", "=", foldCase(name))
    .where("id", "<>", id)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns an audit event's fields about a policy: the actor, the owner and the policy's id. The name of a policy is
 * free text, so it is not recorded. An event about a team's policy names no account.
 */
export function toAuditFields(
  { id, owner }: Pick<EscalationPolicy, "id" | "owner">,
  actor: Actor,
): Pick<AuditEvent, "actor" | "accountId" | "teamId" | "subjectId"> {
  return {
    actor,
    accountId: owner.kind === "account" ? owner.accountId : null,
    teamId: owner.kind === "team" ? owner.teamId : null,
    subjectId: id,
  };
}
