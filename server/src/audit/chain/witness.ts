import { toDay } from "../days.ts";

/**
 * Message of the log line with the digest of a chained day. It never changes, because logs of earlier versions are
 * verified too.
 */
export const CHAINED_DAY_MESSAGE = "a day of the audit log was sealed";

/** A day and its digest from a server's log. */
export interface Witness {
  /** In days since the epoch. */
  readonly day: number;
  readonly digest: string;
}

/**
 * Matches JSON, JSON as a string inside JSON (log collectors wrap lines like that), and the server's terminal format.
 */
const DAY_DIGEST_PATTERN = /\bday\W{1,12}(\d{4}-\d\d-\d\d)\b.*\bdigest\W{1,12}([0-9a-f]{64})\b/;

/** Returns the chained day in a line of a server's log; null for any other line. */
export function parseWitness(line: string): Witness | null {
  const [, text, digest] =
    (line.includes(CHAINED_DAY_MESSAGE) ? DAY_DIGEST_PATTERN.exec(line) : null) ?? [];
  if (text === undefined || digest === undefined) return null;
  const day = toDay(Date.parse(`${text}T00:00:00Z`));
  return Number.isNaN(day) ? null : { day, digest };
}
