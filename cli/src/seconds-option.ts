import { usageError } from "./command.ts";

/** The bounds of an option, in seconds. */
export interface SecondsRange {
  readonly min: number;
  readonly max: number;
}

/** Returns the value of an option in seconds; throws a usage error unless it is a whole number within the range. */
export function parseSeconds(option: string, text: string, { min, max }: SecondsRange): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (seconds >= min && seconds <= max) return seconds;
  throw usageError(`${option} must be a number of seconds from ${min} to ${max}.`);
}
