import { sql } from "kysely";
import type { Actor } from "#audit/event.ts";
import { insertEventQuery } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Condition } from "#database/insert-under.ts";
import type { PreparedAccept } from "#delivery/accept/prepare-accept.ts";
import type { EscalationPolicy } from "../policy.ts";
import { toAuditFields } from "../store/policies.ts";

/** A test of a policy to store. */
interface TestToStore {
  readonly policy: EscalationPolicy;
  readonly actor: Actor;
  /** Returns the notifications of the test, each of which depends on the condition. */
  readonly prepare: (condition: Condition) => readonly PreparedAccept[];
}

/** Stores the notifications of a test and its audit event in one commit, and returns the notifications. */
export async function commitTest(
  context: Context,
  { policy, actor, prepare }: TestToStore,
): Promise<readonly PreparedAccept[]> {
  const accepts = prepare(sql<boolean>`true`);
  const event = { action: "escalation_policy_tested", ...toAuditFields(policy, actor) } as const;
  await context.database.atomically([
    insertEventQuery(context, event),
    ...accepts.flatMap(({ statements }) => statements),
  ]);
  return accepts;
}
