import { pino } from "pino";

/** Fields that a line shows otherwise, or that mean nothing to a person at a terminal. */
const APART: ReadonlySet<string> = new Set(["level", "time", "pid", "msg", "err"]);
/** Entries shown of a list. */
const ENTRIES_SHOWN = 3;
const LEVEL_WIDTH = 5;
/** Characters that control a terminal or turn the text around (ECMA-48 C1, Unicode UAX #9 section 2); JSON escapes the rest. */
const STEERING = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const WORD = /^[\w./:@+,-]+$/;

/**
 * Returns a JSON line of the log in readable form: local time, level, message, then the fields. It cannot control the
 * terminal, and long lists are cut. A line that is not JSON is only escaped.
 */
export function plainLineOf(line: string): string {
  const fields = parse(line);
  if (fields === null) return `${quoted(line.trimEnd()).slice(1, -1)}\n`;
  const { level, time, msg, err } = fields;
  const name = pino.levels.labels[Number(level)] ?? String(level);
  const rest = Object.entries(fields)
    .filter(([key]) => !APART.has(key))
    .map(([key, value]) => `${key}=${shown(value)}`);
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const words = [
    clock,
    name.padEnd(LEVEL_WIDTH),
    typeof msg === "string" ? quoted(msg).slice(1, -1) : "",
    ...rest,
  ];
  return `${words.join(" ")}\n${causeOf(err)}`;
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
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

function shown(value: unknown): string {
  if (typeof value === "string" && WORD.test(value)) return value;
  if (Array.isArray(value) && value.length > ENTRIES_SHOWN) {
    const first = value.slice(0, ENTRIES_SHOWN).map(shown).join(", ");
    return `[${first}, and ${value.length - ENTRIES_SHOWN} more]`;
  }
  return quoted(value);
}

/** Returns the stack of an error, one frame per line. */
function causeOf(err: unknown): string {
  if (typeof err !== "object" || err === null) return "";
  const stack = "stack" in err && typeof err.stack === "string" ? err.stack : JSON.stringify(err);
  return stack
    .split("\n")
    .map((line) => `    ${quoted(line.trim()).slice(1, -1)}\n`)
    .join("");
}

function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    STEERING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
