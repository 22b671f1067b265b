import { invalidField } from "#errors.ts";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";

/** Longest wait for an act, in seconds. */
const WAIT_MAX_SECONDS = 60;

/** The schema of the query of a receipt. */
export const WaitQuery = Type.Object({
  wait: Type.Optional(
    addDocumentedKeywords(
      Type.String({ description: `Seconds to wait for an act, 0 to ${WAIT_MAX_SECONDS}.` }),
      { pattern: "^(?:[0-9]|[1-5][0-9]|60)$" },
    ),
  ),
});

/** Returns a wait in seconds, 0 if the query gives none; throws `invalid_field` unless it is a whole number up to 60. */
export function parseWait(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const seconds = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= WAIT_MAX_SECONDS) return seconds;
  throw invalidField("wait", `wait must be a whole number from 0 to ${WAIT_MAX_SECONDS}.`);
}
