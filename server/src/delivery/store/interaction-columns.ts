import type { Selectable } from "kysely";
import type { Schema } from "#database/schema.ts";
import type { Cause } from "@tocsin/sdk";
import type { Interaction } from "../delivery.ts";

type InteractionColumns = Pick<
  Selectable<Schema["notification"]>,
  "incident_id" | "prompt_id" | "cause" | "actions"
>;

/** The buttons, 1 if the answer may be a text, and 1 if the push is quiet. Earlier versions wrote no third element. */
type ActionsTuple = readonly [actions: Interaction["actions"], allowsText: 0 | 1, isQuiet?: 1];

/** Encodes the buttons and both flags as a JSON tuple; null if there is no button and both are false. */
export function encodeActions({ actions, allowsText, isQuiet }: Interaction): string | null {
  if (actions.length === 0 && !allowsText && !isQuiet) return null;
  const tuple = [actions, allowsText ? 1 : 0] as const;
  return JSON.stringify((isQuiet ? [...tuple, 1] : tuple) satisfies ActionsTuple);
}

/** Returns the incident or the prompt in the columns of a notification; null for a plain one, which has no cause. */
export function toInteraction({
  incident_id,
  prompt_id,
  cause,
  actions,
}: InteractionColumns): Interaction | null {
  if (cause === null) return null;
  // Only `encodeActions` writes the text.
  const [buttons, allowsText, quiet] = JSON.parse(actions ?? "[[],0]") as ActionsTuple;
  return {
    incidentId: incident_id,
    promptId: prompt_id,
    cause: cause as Cause, // Only `toNotificationRow` writes it.
    actions: buttons,
    allowsText: allowsText === 1,
    isQuiet: quiet === 1,
  };
}
