import type { Actor } from "#audit/event.ts";
import { insertEventWhereQuery } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Condition } from "#database/insert-under.ts";
import type { ActKind } from "../act.ts";
import type { Incident } from "../incident.ts";

const ACTIONS = {
  acknowledge: "incident_acknowledged",
  resolve: "incident_resolved",
  escalate: "incident_passed_on",
  ring_again: "incident_rung_again",
} as const satisfies Readonly<Record<ActKind, string>>;

/** Returns the query that records an act in the audit log, if the change that makes it is stored. */
export function recordActQuery(
  context: Context,
  {
    incident,
    kind,
    actor,
  }: { readonly incident: Incident; readonly kind: ActKind; readonly actor: Actor },
  condition: Condition,
): Compilable {
  const { accountId, teamId } = incident.owner;
  const subject = { accountId: teamId === null ? accountId : null, teamId, subjectId: incident.id };
  return insertEventWhereQuery(context, { action: ACTIONS[kind], actor, ...subject }, condition);
}
