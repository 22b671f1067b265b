import type { Interaction } from "#delivery/delivery.ts";
import type { PushCause } from "./decision.ts";
import type { Incident, Question } from "./incident.ts";
import { listActions } from "./push-traits.ts";

/** Returns the incident or the prompt that a push belongs to, with the buttons of the push. */
export function createInteraction(incident: Incident, cause: PushCause): Interaction {
  const { id, question, closing } = incident;
  if (question === null) {
    const actions = listActions(incident);
    // A push after an acknowledgement must disturb nobody, whatever its priority.
    const isQuiet = incident.state === "acknowledged";
    return { incidentId: id, promptId: null, cause, actions, allowsText: false, isQuiet };
  }
  const isOpen = closing === null;
  return {
    incidentId: null,
    promptId: id,
    cause: cause === "trigger" ? "prompt" : cause,
    actions: isOpen ? listChoices(question) : [],
    allowsText: isOpen && question.allowsText,
    isQuiet: false,
  };
}

/** Returns the buttons of a question. Their ids are numbers, because a choice may have the name of another button. */
function listChoices({ choices }: Question): Interaction["actions"] {
  return choices.map((choice, index) => [String(index + 1), choice] as const);
}
