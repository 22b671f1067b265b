import { refuse } from "./apns-refusal.ts";
import type { ApnsRefusal } from "./apns-refusal.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The most a payload may hold, in bytes; calls alone get more. */
const MAX_BYTES = 4_096;
const MAX_VOIP_BYTES = 5_120;

/**
 * Judges the body of one push (Apple, "Generating a remote notification", 2025). Apple's servers look at its size; what
 * a device would drop or ignore in silence is refused here as `BadRequestPayload`, so that the sender hears of it.
 */
export function checkPayload(body: Buffer, pushType: string): ApnsRefusal | null {
  const maxBytes = pushType === "voip" ? MAX_VOIP_BYTES : MAX_BYTES;
  if (body.length === 0) return refuse(400, "PayloadEmpty", "The body is empty.");
  if (body.length > maxBytes) {
    return refuse(413, "PayloadTooLarge", `The body holds ${body.length} of ${maxBytes} bytes.`);
  }
  const payload = readPayload(body);
  if (payload === null) return bad("The body is not a JSON object in UTF-8.");
  const aps = asFields(payload["aps"]);
  if (aps === null) return bad("aps is missing.");
  switch (pushType) {
    case "alert":
      return checkAps(aps) ?? checkAlert(aps);
    case "background":
      return checkAps(aps) ?? checkBackground(aps);
    default:
      // The other types have fields of their own, which nobody here sends.
      return null;
  }
}

/** Returns what a payload says, or null where it is not a JSON object in UTF-8. */
export function readPayload(body: Buffer): Fields | null {
  try {
    return asFields(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)));
  } catch {
    return null;
  }
}

/** Returns a value that is a JSON object, or null. */
export function asFields(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

type Rule = (value: unknown) => boolean;

const isText: Rule = (value) => typeof value === "string";
const isOne: Rule = (value) => value === 1;
const isCount: Rule = (value) => Number.isInteger(value) && Number(value) >= 0;
const isShare: Rule = (value) => typeof value === "number" && value >= 0 && value <= 1;
const isTextList: Rule = (value) => Array.isArray(value) && value.every(isText);
const isLevel: Rule = (value) =>
  isText(value) && ["passive", "active", "time-sensitive", "critical"].includes(String(value));

const ALERT_RULES = new Map<string, Rule>([
  ["title", isText],
  ["subtitle", isText],
  ["body", isText],
  ["launch-image", isText],
  ["title-loc-key", isText],
  ["title-loc-args", isTextList],
  ["subtitle-loc-key", isText],
  ["subtitle-loc-args", isTextList],
  ["loc-key", isText],
  ["loc-args", isTextList],
]);

const CRITICAL_SOUND_RULES = new Map<string, Rule>([
  ["critical", isOne],
  ["name", isText],
  ["volume", isShare],
]);

const APS_RULES = new Map<string, Rule>([
  ["alert", (value) => isText(value) || follows(value, ALERT_RULES)],
  ["sound", (value) => isText(value) || follows(value, CRITICAL_SOUND_RULES)],
  ["badge", isCount],
  ["thread-id", isText],
  ["category", isText],
  ["content-available", isOne],
  ["mutable-content", isOne],
  ["target-content-id", isText],
  ["interruption-level", isLevel],
  ["relevance-score", isShare],
  ["filter-criteria", isText],
]);

function follows(value: unknown, rules: ReadonlyMap<string, Rule>): boolean {
  const fields = asFields(value);
  return fields !== null && firstFault(fields, rules) === null;
}

/** Returns the name of the first field that no rule knows or whose rule fails, or null. */
function firstFault(fields: Fields, rules: ReadonlyMap<string, Rule>): string | null {
  const fault = Object.entries(fields).find(([name, value]) => !rules.get(name)?.(value));
  return fault?.[0] ?? null;
}

function checkAps(aps: Fields): ApnsRefusal | null {
  const fault = firstFault(aps, APS_RULES);
  return fault === null ? null : bad(`aps.${fault} is unknown or not of its type.`);
}

/** A push whose type does not reflect what it holds may come late or not at all. */
function checkAlert(aps: Fields): ApnsRefusal | null {
  if (!isPerceptible(aps)) return bad("An alert push shows and sounds nothing.");
  const isInVain = "mutable-content" in aps && !("alert" in aps);
  return isInVain ? bad("mutable-content has no alert to work on.") : null;
}

function checkBackground(aps: Fields): ApnsRefusal | null {
  if (isPerceptible(aps)) return bad("A background push shows or sounds something.");
  return aps["content-available"] === 1 ? null : bad("content-available is missing.");
}

function isPerceptible(aps: Fields): boolean {
  return "alert" in aps || "sound" in aps || "badge" in aps;
}

function bad(message: string): ApnsRefusal {
  return refuse(400, "BadRequestPayload", message);
}
