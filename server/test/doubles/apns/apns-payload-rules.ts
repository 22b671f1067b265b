import { createApnsRefusal, type ApnsRefusal } from "./apns-refusal.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Maximum payload sizes in bytes; only calls may be larger. */
const PAYLOAD_MAX_BYTES = 4_096;
const VOIP_PAYLOAD_MAX_BYTES = 5_120;

/**
 * Validates the body of a push (Apple, "Generating a remote notification", 2025). Apple's servers check only its size.
 * Payloads that a device would silently drop or ignore are refused here as `BadRequestPayload`, so that tests notice.
 */
export function checkPayload(body: Buffer, pushType: string): ApnsRefusal | null {
  const maxBytes = pushType === "voip" ? VOIP_PAYLOAD_MAX_BYTES : PAYLOAD_MAX_BYTES;
  if (body.length === 0) return createApnsRefusal(400, "PayloadEmpty", "The body is empty.");
  if (body.length > maxBytes) {
    return createApnsRefusal(
      413,
      "PayloadTooLarge",
      `The body holds ${body.length} of ${maxBytes} bytes.`,
    );
  }
  const payload = readPayload(body);
  if (payload === null) return refusePayload("The body is not a JSON object in UTF-8.");
  const aps = toFields(payload["aps"]);
  if (aps === null) return refusePayload("aps is missing.");
  switch (pushType) {
    case "alert":
      return checkAps(aps) ?? checkAlert(aps);
    case "background":
      return checkAps(aps) ?? checkBackground(aps);
    default:
      // The other types have their own fields, which no test sends.
      return null;
  }
}

/** Parses a payload; null if it is not a JSON object in UTF-8. */
export function readPayload(body: Buffer): Fields | null {
  try {
    return toFields(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)));
  } catch {
    return null;
  }
}

/** Returns a value that is a JSON object, or null. */
export function toFields(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

type Rule = (value: unknown) => boolean;

const isString: Rule = (value) => typeof value === "string";
const isNumberOne: Rule = (value) => value === 1;
const isCount: Rule = (value) => Number.isInteger(value) && Number(value) >= 0;
const isFraction: Rule = (value) => typeof value === "number" && value >= 0 && value <= 1;
const isStringList: Rule = (value) => Array.isArray(value) && value.every(isString);
const isInterruptionLevel: Rule = (value) =>
  isString(value) && ["passive", "active", "time-sensitive", "critical"].includes(String(value));

const ALERT_RULES = new Map<string, Rule>([
  ["title", isString],
  ["subtitle", isString],
  ["body", isString],
  ["launch-image", isString],
  ["title-loc-key", isString],
  ["title-loc-args", isStringList],
  ["subtitle-loc-key", isString],
  ["subtitle-loc-args", isStringList],
  ["loc-key", isString],
  ["loc-args", isStringList],
]);

const CRITICAL_SOUND_RULES = new Map<string, Rule>([
  ["critical", isNumberOne],
  ["name", isString],
  ["volume", isFraction],
]);

const APS_RULES = new Map<string, Rule>([
  ["alert", (value) => isString(value) || matchesRules(value, ALERT_RULES)],
  ["sound", (value) => isString(value) || matchesRules(value, CRITICAL_SOUND_RULES)],
  ["badge", isCount],
  ["thread-id", isString],
  ["category", isString],
  ["content-available", isNumberOne],
  ["mutable-content", isNumberOne],
  ["target-content-id", isString],
  ["interruption-level", isInterruptionLevel],
  ["relevance-score", isFraction],
  ["filter-criteria", isString],
]);

function matchesRules(value: unknown, rules: ReadonlyMap<string, Rule>): boolean {
  const fields = toFields(value);
  return fields !== null && findInvalidField(fields, rules) === null;
}

/** Returns the name of the first field without a rule or with a failed rule, or null. */
function findInvalidField(fields: Fields, rules: ReadonlyMap<string, Rule>): string | null {
  const invalidEntry = Object.entries(fields).find(([name, value]) => !rules.get(name)?.(value));
  return invalidEntry?.[0] ?? null;
}

function checkAps(aps: Fields): ApnsRefusal | null {
  const name = findInvalidField(aps, APS_RULES);
  return name === null ? null : refusePayload(`aps.${name} is unknown or has the wrong type.`);
}

/**
 * Checks that an alert push shows or plays something: Apple may delay or drop one whose type does not match its
 * content.
 */
function checkAlert(aps: Fields): ApnsRefusal | null {
  if (!isPerceptible(aps)) return refusePayload("An alert push has nothing to show or play.");
  const isAlertMissing = "mutable-content" in aps && !("alert" in aps);
  return isAlertMissing ? refusePayload("mutable-content has no alert to work on.") : null;
}

function checkBackground(aps: Fields): ApnsRefusal | null {
  if (isPerceptible(aps)) return refusePayload("A background push has something to show or play.");
  return aps["content-available"] === 1 ? null : refusePayload("content-available is missing.");
}

function isPerceptible(aps: Fields): boolean {
  return "alert" in aps || "sound" in aps || "badge" in aps;
}

function refusePayload(message: string): ApnsRefusal {
  return createApnsRefusal(400, "BadRequestPayload", message);
}
