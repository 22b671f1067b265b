import { ACTING_LIMITS, type Priority } from "@tocsin/sdk";
import { invalidField } from "#errors.ts";

/** The fields of a send that ask somebody to act, besides its content. */
export interface ActingFields {
  readonly incident: IncidentFields;
  readonly repeatEveryMs: number;
  readonly expireAfterMs: number;
  /** The id or name of an escalation policy; null for the key's own. */
  readonly escalation: string | null;
  readonly callbackUrl: string | null;
}

/** The incident that a send names. */
export interface IncidentFields {
  /** Null for an emergency that is an incident of its own. */
  readonly key: string | null;
  readonly event: "trigger" | "acknowledge" | "resolve";
  readonly autoResolveAfterMs: number | null;
}

/** The fields of a request, and the way in which it writes numbers, flags and lists. */
interface ActingInput {
  readonly fields: Readonly<Record<string, unknown>>;
  /** `booleans` for JSON, `words` for a query. */
  readonly flagFormat: "booleans" | "words";
}

/** The names of the fields, in the order of their validation. */
export const ACTING_FIELD_NAMES = [
  "incidentKey",
  "incidentEvent",
  "autoResolveAfter",
  "repeatEvery",
  "expireAfter",
  "escalation",
  "callback",
] as const;

type ActingFieldName = (typeof ACTING_FIELD_NAMES)[number];

/**
 * Returns the acting fields of a request; null if it asks nobody to act. Throws `invalid_field` for the first invalid
 * field.
 */
export function parseActing(input: ActingInput, priority: Priority): ActingFields | null {
  const hasField = ACTING_FIELD_NAMES.some((name) => isGiven(input, name));
  if (!hasField && priority !== "emergency") return null;
  const incident = parseIncident(input, priority);
  const { repeatEveryMs, expireAfterMs } = parseRounds(input);
  const escalation = readText(input, "escalation", ACTING_LIMITS.policyNameLength);
  const callbackUrl = parseCallback(input);
  if (incident === null) return refuseLonely(input);
  return { incident, repeatEveryMs, expireAfterMs, escalation, callbackUrl };
}

/** Returns the key in the field `incidentKey`, as a send reads it; null if it has none. Throws `invalid_field`. */
export function parseIncidentKey(fields: { readonly incidentKey?: unknown }): string | null {
  const input = { fields: { incidentKey: fields.incidentKey }, flagFormat: "booleans" } as const;
  return readText(input, "incidentKey", ACTING_LIMITS.incidentKeyLength);
}

/** Ignores the settings of a ringing that the priority does not ask for, but no callback that would never be made. */
function refuseLonely(input: ActingInput): null {
  if (isGiven(input, "callback"))
    throw invalidField("callback", "callback needs incidentKey or priority emergency.");
  return null;
}

function parseIncident(input: ActingInput, priority: Priority): IncidentFields | null {
  const key = parseIncidentKey(input.fields);
  const event = readText(input, "incidentEvent", 20) ?? "trigger";
  if (!isIncidentEvent(event))
    throw invalidField("incidentEvent", "incidentEvent must be trigger, acknowledge or resolve.");
  if (key === null && isGiven(input, "incidentEvent"))
    throw invalidField(
      "incidentEvent",
      "incidentEvent needs incidentKey, which names the incident.",
    );
  const seconds = readInteger(input, "autoResolveAfter", ACTING_LIMITS.autoResolveAfter);
  if (key === null && priority !== "emergency") {
    if (seconds !== null)
      throw invalidField("autoResolveAfter", "autoResolveAfter needs incidentKey.");
    return null;
  }
  return { key, event, autoResolveAfterMs: seconds === null ? null : seconds * 1_000 };
}

function isIncidentEvent(text: string): text is IncidentFields["event"] {
  return text === "trigger" || text === "acknowledge" || text === "resolve";
}

function parseRounds(input: ActingInput): Pick<ActingFields, "repeatEveryMs" | "expireAfterMs"> {
  const { repeatEvery, expireAfter, roundsMax } = ACTING_LIMITS;
  const every = readInteger(input, "repeatEvery", repeatEvery) ?? repeatEvery.default;
  const after = readInteger(input, "expireAfter", expireAfter) ?? expireAfter.default;
  if (after > every * roundsMax) {
    const fitting = Math.ceil(after / roundsMax);
    const message = `At most ${roundsMax} rounds: with expireAfter ${after}, repeatEvery must be at least ${fitting}; with repeatEvery ${every}, expireAfter at most ${every * roundsMax}.`;
    throw invalidField("repeatEvery", message);
  }
  return { repeatEveryMs: every * 1_000, expireAfterMs: after * 1_000 };
}

function parseCallback(input: ActingInput): string | null {
  const text = readText(input, "callback", ACTING_LIMITS.callbackLength);
  if (text === null) return null;
  const url = URL.parse(text);
  const isAllowed = url !== null && /^https?:$/.test(url.protocol) && url.username === "";
  if (isAllowed && url.password === "") return url.href;
  throw invalidField("callback", "callback must be an absolute https: URL without user info.");
}

/** Returns whether a field has a value: as in the content of a notification, null and "" mean "not given". */
function isGiven({ fields }: ActingInput, name: ActingFieldName): boolean {
  const value = fields[name];
  return value !== undefined && value !== null && value !== "";
}

function readText(input: ActingInput, name: ActingFieldName, lengthMax: number): string | null {
  if (!isGiven(input, name)) return null;
  const value = input.fields[name];
  if (typeof value !== "string") throw invalidField(name, `${name} must be a string.`);
  const text = cleanLine(value);
  if (text !== "" && Array.from(text).length <= lengthMax) return text;
  throw invalidField(name, `${name} must have 1 to ${lengthMax} characters.`);
}

/** Returns well-formed text of one line, without control characters and without space around it. */
function cleanLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "")
    .trim();
}

interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

function readInteger(
  input: ActingInput,
  name: ActingFieldName,
  { min, max }: IntegerRange,
): number | null {
  if (!isGiven(input, name)) return null;
  const value = input.fields[name];
  const isDigits = input.flagFormat === "words" && typeof value === "string" && /^\d+$/.test(value);
  const number = isDigits ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max)
    return number;
  throw invalidField(name, `${name} must be a whole number from ${min} to ${max}.`);
}
