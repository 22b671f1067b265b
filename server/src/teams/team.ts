import { AppError, invalidField } from "#errors.ts";

/** Maximum length of a team name, in UTF-16 code units. */
export const TEAM_NAME_MAX = 80;

/**
 * Returns the stored form of a team name: well-formed, on one line, without control characters or direction overrides.
 * Throws `invalid_field` if it is too long or has no visible character.
 */
export function parseTeamName(text: string): string {
  const name = text.toWellFormed().replace(UNPRINTABLE_CHARACTERS, " ").replace(/\s+/g, " ").trim();
  if (name.length > TEAM_NAME_MAX || !/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) {
    throw invalidField("name", `name must have 1 to ${TEAM_NAME_MAX} characters.`);
  }
  return name;
}

/** Returns the error for a missing team, and for a team that the account is not in. It is always the same. */
export function createNoSuchTeamError(): AppError {
  return new AppError("not_found", "You have no such team.");
}

/** Control characters, line separators, and formatting characters of the text direction (Unicode UAX #9 section 2). */
const UNPRINTABLE_CHARACTERS = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;
