import { getCurrentLocale } from "../../language/language.ts";

const MILLISECOND = ["millisecond", 1] as const;
/** The units of a duration, largest first, with their lengths in milliseconds. */
const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
  MILLISECOND,
] as const;

/** Returns a duration in the reader's language, in its two largest units, such as `4 min 12 sec`. */
export function formatDuration(durationMs: number): string {
  const roundedMs = Math.max(0, Math.round(durationMs));
  const unitIndex = UNITS.findIndex(([, unitMs]) => roundedMs >= unitMs);
  const index = unitIndex === -1 ? UNITS.length - 1 : unitIndex;
  const [unit, unitMs] = UNITS[index] ?? MILLISECOND;
  const text = formatUnit(Math.floor(roundedMs / unitMs), unit);
  const [smallerUnit, smallerUnitMs] = UNITS[index + 1] ?? [null, 1];
  const remainder = Math.floor((roundedMs % unitMs) / smallerUnitMs);
  // Next to seconds, milliseconds are not relevant.
  if (smallerUnit === null || smallerUnit === "millisecond" || remainder === 0) return text;
  return `${text} ${formatUnit(remainder, smallerUnit)}`;
}

function formatUnit(value: number, unit: (typeof UNITS)[number][0]): string {
  const style = { style: "unit", unit, unitDisplay: "short" } as const;
  return new Intl.NumberFormat(getCurrentLocale(), style).format(value);
}
