import { AppError, invalidField } from "#errors.ts";
import { isEmailAddress, toOneLine } from "#mail/mail.ts";

/** An account of a person. */
export interface Account {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  /** Whether there is proof that the address belongs to the owner (`AddressProof`). */
  readonly isEmailVerified: boolean;
}

/** The fields of a sign-up. */
export interface Applicant {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** Minimum length of a password, in UTF-16 code units. */
export const PASSWORD_MIN_CHARACTERS = 8;
/** Maximum length of a password, in UTF-16 code units. */
export const PASSWORD_MAX_CHARACTERS = 128;
/** Maximum length of a name, in UTF-16 code units. */
export const NAME_MAX_CHARACTERS = 100;
/** Formatting characters of the text direction (Unicode UAX #9 section 2). */
const DIRECTION_CHARACTERS = /[\u202A-\u202E\u2066-\u2069]/gu;
const VISIBLE_CHARACTER = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Validates the fields of a sign-up, and returns email and name in their stored form. Throws `invalid_email` if the
 * address is invalid, and `invalid_field` if another field is.
 */
export function parseApplicant({ email, name, password }: Applicant): Applicant {
  return {
    email: parseEmail(email),
    name: parseName("name", name),
    password: parsePassword("password", password),
  };
}

/** Returns an email address in lower case. Throws `invalid_email` for anything but one address. */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (isEmailAddress(email)) return email;
  const message = "email must be one email address, such as ann@example.org.";
  throw new AppError("invalid_email", message, { field: "email" });
}

/**
 * Returns the stored form of a name: well-formed, on one line, and without characters that would change the direction
 * of the text around it. Throws `invalid_field` if it is too long or has no visible character.
 */
export function parseName(field: string, text: string): string {
  const name = toOneLine(text.toWellFormed().replaceAll(DIRECTION_CHARACTERS, ""));
  if (name.length <= NAME_MAX_CHARACTERS && VISIBLE_CHARACTER.test(name)) return name;
  throw invalidField(field, `${field} must have 1 to ${NAME_MAX_CHARACTERS} characters.`);
}

/** Returns the password unchanged. Throws `invalid_field` if its length is not allowed. */
export function parsePassword(field: string, password: string): string {
  const { length } = password;
  if (length >= PASSWORD_MIN_CHARACTERS && length <= PASSWORD_MAX_CHARACTERS) return password;
  const range = `${PASSWORD_MIN_CHARACTERS} to ${PASSWORD_MAX_CHARACTERS}`;
  throw invalidField(field, `${field} must have ${range} characters.`);
}
