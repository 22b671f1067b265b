import type { Acting } from "#delivery/delivery.ts";
import type { PushCause } from "./decision.ts";
import type { Incident, Question } from "./incident.ts";
import { listActions } from "./push-traits.ts";

/** Returns the incident or the prompt of a push, with its buttons. */
export function createActing(incident: Incident, cause: PushCause): Acting {
  const { id, question, closing } = incident;
  if (question === null) {
    const actions = listActions(incident);
    // A text that arrives after somebody took the incident disturbs nobody, whatever its priority.
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

/** Returns the buttons of a question. The ids are numbers, because a choice may be the name of another button. */
function listChoices({ choices }: Question): Acting["actions"] {
  return choices.map((choice, index) => [String(index + 1), choice] as const);
}
