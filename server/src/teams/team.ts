import { AppError, invalidField } from "#errors.ts";

/** The longest team name, in UTF-16 units, as JavaScript's `length` counts. */
export const TEAM_NAME_MAX = 80;

/**
 * Returns the name as stored: well-formed, on one line, without control characters or overrides of the writing
 * direction. Throws `invalid_field` for one that is too long or has no visible character.
 */
export function parseTeamName(text: string): string {
  const name = text.toWellFormed().replace(UNPRINTABLE, " ").replace(/\s+/g, " ").trim();
  if (name.length > TEAM_NAME_MAX || !/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) {
    throw invalidField("name", `name must have 1 to ${TEAM_NAME_MAX} characters.`);
  }
  return name;
}

/** Returns the same error for a team that is missing and for a team of others. */
export function teamNotFound(): AppError {
  return new AppError("not_found", "You have no such team.");
}

/** Control characters, and those that override or isolate the writing direction (Unicode UAX #9 section 2). */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;
