import type { NotificationContent } from "@tocsin/sdk";
import { DecisionDraft, type Decision } from "./decision.ts";
import type { Act, Incident } from "./incident.ts";
import { endRinging } from "./ringing.ts";

/** An event of the question that an incident asks. */
export type QuestionEvent =
  /** An answer that leaves the question open. */
  | { readonly kind: "counted"; readonly act: Act }
  /** The end of the question, with the text that replaces it on devices. */
  | { readonly kind: "closed"; readonly act: Act; readonly content: NotificationContent };

/** Returns the change that an event of a question makes to its incident; null if the question is closed. */
export function decideQuestion(incident: Incident, event: QuestionEvent): Decision | null {
  if (incident.closing !== null) return null;
  const draft = new DecisionDraft(incident);
  const { act } = event;
  if (event.kind === "counted") {
    // Every answer is a change of the incident, so that one comparison orders all changes of a prompt.
    draft.change({});
    draft.record("answered", {}, act);
    return draft;
  }
  draft.change({ state: "resolved", closing: act });
  endRinging(draft);
  draft.record(act.accountId === null ? "resolved" : "answered", {}, act);
  draft.pushes.push({ cause: "answer", to: "reached", content: event.content, isFiled: false });
  return draft;
}
