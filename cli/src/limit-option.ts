import { usageError } from "./command.ts";

const LIMIT_MAX = 100_000;

/** Returns the value of `--limit`, or the fallback without it; throws a usage error for an invalid number. */
export function parseLimit(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw usageError(`--limit must be a whole number from 1 to ${LIMIT_MAX}.`);
}
