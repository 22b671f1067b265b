import { INTERACTION_LIMITS, type Priority } from "@tocsin/sdk";
import { isGiven, type ContentInput } from "#content/readers.ts";
import { invalidField } from "#errors.ts";
import { cleanLine, readInteger, readText } from "./interaction-readers.ts";
import { parsePrompt, PROMPT_FIELD_NAMES, type PromptFields } from "./prompt-fields.ts";

/** The fields of a send that ask somebody to act, besides its content. */
export interface InteractionFields {
  /** For a prompt, an incident of its own without a key. */
  readonly incident: IncidentFields;
  /** The fields of a prompt; null if the send asks no question. */
  readonly prompt: PromptFields | null;
  readonly repeatEveryMs: number;
  readonly expireAfterMs: number;
  /** The id or name of an escalation policy; null for the key's own. */
  readonly escalation: string | null;
  readonly callbackUrl: string | null;
}

/** The incident that a send names. */
export interface IncidentFields {
  /** Null for an emergency without a key, and for a prompt: each is an incident of its own. */
  readonly key: string | null;
  readonly event: "trigger" | "acknowledge" | "resolve";
  readonly autoResolveAfterMs: number | null;
}

/** The names of the fields that ask somebody to act. */
export const INTERACTION_FIELD_NAMES = [
  "incidentKey",
  "incidentEvent",
  "autoResolveAfter",
  "repeatEvery",
  "expireAfter",
  "escalation",
  "callback",
  ...PROMPT_FIELD_NAMES,
] as const;

/**
 * Returns the interaction fields of a request; null if it asks nobody to act. Throws `invalid_field` for the first
 * invalid field.
 */
export function parseInteraction(
  input: ContentInput,
  priority: Priority,
): InteractionFields | null {
  const hasField = INTERACTION_FIELD_NAMES.some((name) => isGiven(input, name));
  if (!hasField && priority !== "emergency") return null;
  const prompt = parsePrompt(input);
  if (prompt !== null) refuseFieldsWithoutEffect(input, priority);
  const incident = parseIncident(input, priority);
  const { repeatEveryMs, expireAfterMs } = parseRounds(input, {
    canRing: prompt === null || priority === "emergency",
  });
  const escalation = readText(input, "escalation", INTERACTION_LIMITS.policyNameLength);
  const callbackUrl = parseCallback(input);
  const ringFields = { repeatEveryMs, expireAfterMs, escalation, callbackUrl };
  if (prompt !== null) return { incident: OWN_INCIDENT, prompt, ...ringFields };
  if (incident === null) {
    refuseCallbackWithoutEffect(input);
    return null;
  }
  return { incident, prompt, ...ringFields };
}

const OWN_INCIDENT: IncidentFields = { key: null, event: "trigger", autoResolveAfterMs: null };

/** Throws for a field that would have no effect in a send that asks a question. */
function refuseFieldsWithoutEffect(input: ContentInput, priority: Priority): void {
  for (const name of ["incidentKey", "incidentEvent", "autoResolveAfter"] as const) {
    if (!isGiven(input, name)) continue;
    const message = `A send asks a question or is about an incident with a key: leave out ${name}, or choices and allowText.`;
    throw invalidField(name, message);
  }
  if (priority === "emergency") return;
  for (const name of ["repeatEvery", "escalation"] as const) {
    if (isGiven(input, name))
      throw invalidField(name, `${name} needs priority emergency: no other question rings.`);
  }
}

/** Returns the incident key of a request in its stored form; null if the request gives none. Throws `invalid_field`. */
export function parseIncidentKey(fields: { readonly incidentKey?: unknown }): string | null {
  const input = { fields: { incidentKey: fields.incidentKey }, flagFormat: "booleans" } as const;
  return readText(input, "incidentKey", INTERACTION_LIMITS.incidentKeyLength);
}

/** Throws for a callback that would never be called. Other interaction fields without an incident are ignored. */
function refuseCallbackWithoutEffect(input: ContentInput): void {
  if (isGiven(input, "callback"))
    throw invalidField(
      "callback",
      "callback needs incidentKey, choices, allowText or priority emergency.",
    );
}

function parseIncident(input: ContentInput, priority: Priority): IncidentFields | null {
  const key = parseIncidentKey(input.fields);
  const event = readIncidentEvent(input);
  if (key === null && isGiven(input, "incidentEvent"))
    throw invalidField(
      "incidentEvent",
      "incidentEvent needs incidentKey, which names the incident.",
    );
  const seconds = readInteger(input, "autoResolveAfter", INTERACTION_LIMITS.autoResolveAfter);
  if (key === null && priority !== "emergency") {
    if (seconds !== null)
      throw invalidField("autoResolveAfter", "autoResolveAfter needs incidentKey.");
    return null;
  }
  return { key, event, autoResolveAfterMs: seconds === null ? null : seconds * 1_000 };
}

function readIncidentEvent(input: ContentInput): IncidentFields["event"] {
  if (!isGiven(input, "incidentEvent")) return "trigger";
  const value = input.fields["incidentEvent"];
  const event = typeof value === "string" ? cleanLine(value) : value;
  if (event === "trigger" || event === "acknowledge" || event === "resolve") return event;
  throw invalidField("incidentEvent", "incidentEvent must be trigger, acknowledge or resolve.");
}

function parseRounds(
  input: ContentInput,
  { canRing }: { readonly canRing: boolean },
): Pick<InteractionFields, "repeatEveryMs" | "expireAfterMs"> {
  const { repeatEvery, expireAfter, roundsMax } = INTERACTION_LIMITS;
  const repeatSeconds = readInteger(input, "repeatEvery", repeatEvery) ?? repeatEvery.default;
  const expireSeconds = readInteger(input, "expireAfter", expireAfter) ?? expireAfter.default;
  const expireSecondsMax = repeatSeconds * roundsMax;
  if (canRing && expireSeconds > expireSecondsMax) {
    const repeatSecondsMin = Math.ceil(expireSeconds / roundsMax);
    const message = `At most ${roundsMax} rounds: with expireAfter ${expireSeconds}, repeatEvery must be at least ${repeatSecondsMin}; with repeatEvery ${repeatSeconds}, expireAfter at most ${expireSecondsMax}.`;
    throw invalidField("repeatEvery", message);
  }
  return { repeatEveryMs: repeatSeconds * 1_000, expireAfterMs: expireSeconds * 1_000 };
}

function parseCallback(input: ContentInput): string | null {
  const text = readText(input, "callback", INTERACTION_LIMITS.callbackLength);
  if (text === null) return null;
  const url = URL.parse(text);
  const isAllowed = url !== null && /^https?:$/.test(url.protocol) && url.username === "";
  if (isAllowed && url.password === "") return url.href;
  throw invalidField("callback", "callback must be an absolute https: URL without user info.");
}
