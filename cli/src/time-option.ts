import { parseTimestamp } from "@tocsin/server/timestamp.ts";
import { usageError } from "./command.ts";

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A whole number of minutes, hours or days. */
const DURATION_PATTERN = /^(\d{1,6})([mhd])$/;

/** The name of an option with a time, the current time, and the direction of its durations. */
export interface ParseTimeOptions {
  /** The option's name for errors, such as `--since`. */
  readonly optionName: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether `2h` means two hours ago, or two hours from now. */
  readonly durationDirection: "ago" | "ahead";
}

/**
 * Parses the time of an option into milliseconds since the epoch: `2026-01-31` (its beginning in UTC),
 * `2026-01-31T12:00:00Z`, or a duration such as `30m`, `12h` or `7d`. Returns null if the option is absent; throws a
 * usage error for any other text.
 */
export function parseTime(
  text: string | undefined,
  { optionName, now, durationDirection }: ParseTimeOptions,
): number | null {
  if (text === undefined) return null;
  const [, count, unit] = DURATION_PATTERN.exec(text) ?? [];
  if (count !== undefined) {
    // The pattern allows only these units.
    const durationMs = Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
    return Math.max(0, durationDirection === "ago" ? now - durationMs : now + durationMs);
  }
  const time = parseTimestamp(text);
  if (time !== null) return time;
  throw usageError(
    `${optionName} must be a time such as 2026-01-31 or 2026-01-31T12:00:00Z, or a duration such as 30m, 12h or 7d.`,
  );
}
