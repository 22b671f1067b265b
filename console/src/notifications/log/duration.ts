import { currentLocale } from "../../language/language.ts";

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
  ["millisecond", 1],
] as const;

/** Returns a duration in the reader's language, in its two largest units: `4 min 12 sec`. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const first = UNITS.findIndex(([, size]) => whole >= size);
  const index = first === -1 ? UNITS.length - 1 : first;
  const [unit, size] = UNITS[index] ?? UNITS[4];
  const text = inUnit(Math.floor(whole / size), unit);
  const [smaller, smallerSize] = UNITS[index + 1] ?? [null, 1];
  const rest = Math.floor((whole % size) / smallerSize);
  // Milliseconds beside seconds do not matter.
  if (smaller === null || smaller === "millisecond" || rest === 0) return text;
  return `${text} ${inUnit(rest, smaller)}`;
}

function inUnit(value: number, unit: (typeof UNITS)[number][0]): string {
  const style = { style: "unit", unit, unitDisplay: "short" } as const;
  return new Intl.NumberFormat(currentLocale(), style).format(value);
}
