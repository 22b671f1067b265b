import { AppError, invalidField } from "#errors.ts";
import { isEmailAddress, oneLine } from "#mail/mail.ts";

/** A person who can sign in. */
export interface Account {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  /** Someone has proved that they read the mail of this address. */
  readonly isEmailVerified: boolean;
}

/** The details with which a person signs up. */
export interface Applicant {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** A password has this many UTF-16 units, as `length` counts them. */
export const PASSWORD_MIN_CHARACTERS = 8;
export const PASSWORD_MAX_CHARACTERS = 128;
/** The longest name, in UTF-16 units. */
export const NAME_MAX_CHARACTERS = 100;
/** Characters that override or isolate the writing direction (Unicode UAX #9 section 2). */
const OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/gu;
const SHOWN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Returns the applicant with e-mail and name in their stored form; throws `invalid_email` or `invalid_field`. */
export function parseApplicant({ email, name, password }: Applicant): Applicant {
  return {
    email: parseEmail(email),
    name: parseName("name", name),
    password: parsePassword("password", password),
  };
}

/** Returns one e-mail address in lower case; throws `invalid_email` for anything else. */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (isEmailAddress(email)) return email;
  const message = "email must be one e-mail address, such as ann@example.org.";
  throw new AppError("invalid_email", message, { field: "email" });
}

/**
 * Returns a name for people to read: well-formed, on one line, without overrides of the writing direction, which would
 * reorder the text around it. Throws `invalid_field` for one that is too long or has no visible character.
 */
export function parseName(field: string, text: string): string {
  const name = oneLine(text.toWellFormed().replaceAll(OVERRIDES, ""));
  if (name.length <= NAME_MAX_CHARACTERS && SHOWN.test(name)) return name;
  throw invalidField(field, `${field} must have 1 to ${NAME_MAX_CHARACTERS} characters.`);
}

/** Returns the password unchanged; throws `invalid_field` if its length is not allowed. */
export function parsePassword(field: string, password: string): string {
  const { length } = password;
  if (length >= PASSWORD_MIN_CHARACTERS && length <= PASSWORD_MAX_CHARACTERS) return password;
  const range = `${PASSWORD_MIN_CHARACTERS} to ${PASSWORD_MAX_CHARACTERS}`;
  throw invalidField(field, `${field} must have ${range} characters.`);
}
