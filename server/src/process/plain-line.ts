import { pino } from "pino";

/** Fields that a line says otherwise, or that say nothing to a person at a terminal. */
const APART: ReadonlySet<string> = new Set(["level", "time", "pid", "msg", "err"]);
/** A list shows so many of its entries. */
const ENTRIES_SHOWN = 3;
const LEVEL_WIDTH = 5;
/** What steers a terminal or turns the text around (ECMA-48 C1, Unicode UAX #9 section 2); JSON escapes the rest. */
const STEERING = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const WORD = /^[\w./:@+,-]+$/;

/**
 * Returns a line of the log, which is JSON, as a person reads it: local time, level, message, then the fields. Nothing in it
 * steers the terminal; long lists are cut. What is no JSON is returned with no more than that.
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
    // An object that is no list has fields of unknown types.
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

/** The stack says what broke and where, a line each. */
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
