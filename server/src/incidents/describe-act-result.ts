import { formatTimestamp } from "#schema/timestamp.ts";
import { CHUNK_MAX } from "#delivery/delivery.ts";
import type { ActKind, IncidentActResult } from "./act.ts";
import type { Act, Incident } from "./incident.ts";

const SUCCESS_SENTENCES: Readonly<Record<ActKind, string>> = {
  acknowledge: "The incident is acknowledged.",
  resolve: "The incident is resolved.",
  escalate: "The incident is passed on to the next step.",
  ring_again: "The incident rings again.",
};

/**
 * Returns a sentence about the result of an act. `name` is the name of the person who acted before; null if unknown.
 */
export function describeActResult(
  kind: ActKind,
  { incident, isChanged }: IncidentActResult,
  name: string | null,
): string {
  if (isChanged) return SUCCESS_SENTENCES[kind];
  const { acknowledgement, closing } = incident;
  if (closing !== null) return `The incident is already resolved${formatAct(closing, name)}.`;
  if (kind === "ring_again") return explainNoRing(incident);
  if (acknowledgement !== null)
    return `The incident is already acknowledged${formatAct(acknowledgement, name)}.`;
  return "The incident does not ring, or there is no further step.";
}

/** Returns why an open incident cannot ring again. */
function explainNoRing({ priority }: Incident): string {
  if (priority !== "emergency") return `Only an emergency rings: this incident is ${priority}.`;
  return `The incident cannot ring: it went to more than ${CHUNK_MAX} devices, and so many are notified only once.`;
}

function formatAct({ at, via }: Act, name: string | null): string {
  const actorText = name === null ? (via === "time" ? " automatically" : "") : ` by ${name}`;
  return `${actorText}, at ${formatTimestamp(at)}`;
}
