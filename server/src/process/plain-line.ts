import { pino } from "pino";

/** The fields that a line shows in another form or omits. */
const HIDDEN_FIELDS: ReadonlySet<string> = new Set(["level", "time", "pid", "msg", "err"]);
/** The number of list entries to show. */
const ENTRIES_SHOWN_MAX = 3;
const LEVEL_WIDTH = 5;
/**
 * The characters that control a terminal or reverse text (ECMA-48 C1, Unicode UAX #9 section 2) and that JSON does not
 * escape.
 */
const CONTROL_CHARACTERS = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const UNQUOTED_VALUE = /^[\w./:@+,-]+$/;

/**
 * Formats a JSON log line for people: local time, level, message, then the fields. The result cannot control the
 * terminal, and long lists are shortened. A line that is not JSON is only escaped.
 */
export function formatPlainLine(line: string): string {
  const fields = parseLogLine(line);
  if (fields === null) return `${escapeSafely(line.trimEnd())}\n`;
  const { level, time, msg, err } = fields;
  const levelName = pino.levels.labels[Number(level)] ?? String(level);
  const fieldTexts = Object.entries(fields)
    .filter(([key]) => !HIDDEN_FIELDS.has(key))
    .map(([key, value]) => `${key}=${formatValue(value)}`);
  const words = [
    formatTimeOfDay(Number(time)),
    levelName.padEnd(LEVEL_WIDTH),
    typeof msg === "string" ? escapeSafely(msg) : "",
    ...fieldTexts,
  ];
  return `${words.join(" ")}\n${formatStack(err)}`;
}

/** Returns the local time of day, such as `12:00:01`. */
function formatTimeOfDay(at: number): string {
  return new Date(at).toTimeString().slice(0, "12:00:01".length);
}

function parseLogLine(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    // An object that is not a list has fields of unknown types.
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function formatValue(value: unknown): string {
  if (typeof value === "string" && UNQUOTED_VALUE.test(value)) return value;
  if (Array.isArray(value) && value.length > ENTRIES_SHOWN_MAX) {
    const firstEntries = value.slice(0, ENTRIES_SHOWN_MAX).map(formatValue).join(", ");
    return `[${firstEntries}, and ${value.length - ENTRIES_SHOWN_MAX} more]`;
  }
  return quoteSafely(value);
}

/** Returns the stack of an error, one frame per line. */
function formatStack(err: unknown): string {
  if (typeof err !== "object" || err === null) return "";
  const stack = "stack" in err && typeof err.stack === "string" ? err.stack : JSON.stringify(err);
  return stack
    .split("\n")
    .map((line) => `    ${escapeSafely(line.trim())}\n`)
    .join("");
}

/** Returns a text as in JSON, but without the quotation marks around it and without characters that control a terminal. */
function escapeSafely(text: string): string {
  return quoteSafely(text).slice(1, -1);
}

/** Returns a value in JSON, without characters that control a terminal. */
function quoteSafely(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    CONTROL_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
