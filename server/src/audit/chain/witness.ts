import { dayAt } from "../days.ts";

/** Message of the log line by which a server tells the digest of a day that it sealed. */
export const SEALED = "a day of the audit log was sealed";

/** A day and its digest, as a server wrote them to its log. */
export interface Witness {
  /** In days since the epoch. */
  readonly day: number;
  readonly digest: string;
}

/** JSON, also as a text within JSON, as collectors of logs wrap it; and the text that the server prints to a terminal. */
const FIELDS = /\bday\W{1,12}(\d{4}-\d\d-\d\d)\b.*\bdigest\W{1,12}([0-9a-f]{64})\b/;

/** Returns what a line of a server's log tells of a sealed day; null for every other line. */
export function witnessIn(line: string): Witness | null {
  const [, text, digest] = (line.includes(SEALED) ? FIELDS.exec(line) : null) ?? [];
  if (text === undefined || digest === undefined) return null;
  const day = dayAt(Date.parse(`${text}T00:00:00Z`));
  return Number.isNaN(day) ? null : { day, digest };
}
