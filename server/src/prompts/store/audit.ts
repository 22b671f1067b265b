import type { Actor } from "#audit/event.ts";
import { insertEventWhereQuery } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Condition } from "#database/insert-under.ts";
import type { Incident } from "#incidents/incident.ts";

/** An act on a prompt, for the audit log. */
export interface PromptAct {
  readonly action: "prompt_answered" | "prompt_cancelled";
  readonly incident: Pick<Incident, "id" | "owner">;
  readonly actor: Actor;
}

/** Returns the query that records an act in the audit log, if the change that makes it is stored. */
export function recordPromptActQuery(
  context: Context,
  { action, incident: { id, owner }, actor }: PromptAct,
  condition: Condition,
): Compilable {
  const { accountId, teamId } = owner;
  const subject = { accountId: teamId === null ? accountId : null, teamId, subjectId: id };
  return insertEventWhereQuery(context, { action, actor, ...subject }, condition);
}
