import { INTERACTION_LIMITS, type InteractionRequest, type IncidentEventName } from "@tocsin/sdk";
import { usageError } from "./command.ts";
import { parseSeconds, type SecondsRange } from "./seconds-option.ts";

/** The values of the options that ask somebody to act. */
export interface InteractionValues {
  readonly "incident-key"?: string;
  readonly acknowledge?: boolean;
  readonly resolve?: boolean;
  readonly "auto-resolve-after"?: string;
  readonly "repeat-every"?: string;
  readonly "expire-after"?: string;
  readonly escalation?: string;
  readonly callback?: string;
}

/** Returns the fields of a send that ask somebody to act; throws a usage error. */
export function parseInteractionFields(values: InteractionValues): InteractionRequest {
  const { "incident-key": incidentKey, escalation, callback } = values;
  const incidentEvent = parseIncidentEvent(values);
  const autoResolveAfter = parseTime(
    values,
    "auto-resolve-after",
    INTERACTION_LIMITS.autoResolveAfter,
  );
  const repeatEvery = parseTime(values, "repeat-every", INTERACTION_LIMITS.repeatEvery);
  const expireAfter = parseTime(values, "expire-after", INTERACTION_LIMITS.expireAfter);
  return {
    ...(incidentKey === undefined ? {} : { incidentKey: parseIncidentKey(incidentKey) }),
    ...(incidentEvent === null ? {} : { incidentEvent }),
    ...(autoResolveAfter === null ? {} : { autoResolveAfter }),
    ...(repeatEvery === null ? {} : { repeatEvery }),
    ...(expireAfter === null ? {} : { expireAfter }),
    ...(escalation === undefined ? {} : { escalation }),
    ...(callback === undefined ? {} : { callback }),
  };
}

/** Returns a valid incident key; throws a usage error for any other. The server would read an empty one as not given. */
export function parseIncidentKey(text: string): string {
  const { length } = Array.from(text);
  if (text.trim() !== "" && length <= INTERACTION_LIMITS.incidentKeyLength) return text;
  throw usageError(
    `--incident-key must have 1 to ${INTERACTION_LIMITS.incidentKeyLength} characters.`,
  );
}

function parseIncidentEvent({
  "incident-key": incidentKey,
  acknowledge = false,
  resolve = false,
}: InteractionValues): IncidentEventName | null {
  if (acknowledge && resolve) throw usageError("Give --acknowledge or --resolve, not both.");
  if (!acknowledge && !resolve) return null;
  const incidentEvent = resolve ? "resolve" : "acknowledge";
  if (incidentKey !== undefined) return incidentEvent;
  throw usageError(`--${incidentEvent} needs --incident-key, which names the incident.`);
}

type TimeOption = "auto-resolve-after" | "repeat-every" | "expire-after";

function parseTime(
  values: InteractionValues,
  option: TimeOption,
  range: SecondsRange,
): number | null {
  const text = values[option];
  return text === undefined ? null : parseSeconds(`--${option}`, text, range);
}
