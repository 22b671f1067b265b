import { AppError, invalidField } from "#errors.ts";
import { isEmailAddress, oneLine } from "#mail/mail.ts";

/** A person who can sign in. */
export interface Account {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  /** Somebody proved to read the mail of this address. */
  readonly isEmailVerified: boolean;
}

/** What a person gives to have an account. */
export interface Applicant {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** A password has this many UTF-16 units, as the sign-in library counts them. */
export const PASSWORD_MIN_CHARACTERS = 8;
export const PASSWORD_MAX_CHARACTERS = 128;
/** A name has this many UTF-16 units. */
export const NAME_MAX_CHARACTERS = 100;
/** What overrides or isolates the writing direction (Unicode UAX #9 section 2). */
const OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/gu;
const SHOWN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Returns the applicant with e-mail and name in the form in which they are kept; throws `invalid_email` or
 * `invalid_field`.
 */
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
 * Returns a name for people to read: well-formed, on one line, without overrides of the writing direction, which would turn
 * the text around it. Throws `invalid_field` for one that is too long or shows nothing.
 */
export function parseName(field: string, text: string): string {
  const name = oneLine(text.toWellFormed().replaceAll(OVERRIDES, ""));
  if (name.length <= NAME_MAX_CHARACTERS && SHOWN.test(name)) return name;
  throw invalidField(field, `${field} must have 1 to ${NAME_MAX_CHARACTERS} characters.`);
}

/** Returns the password as it is; throws `invalid_field` where its length is not allowed. */
export function parsePassword(field: string, password: string): string {
  const { length } = password;
  if (length >= PASSWORD_MIN_CHARACTERS && length <= PASSWORD_MAX_CHARACTERS) return password;
  const range = `${PASSWORD_MIN_CHARACTERS} to ${PASSWORD_MAX_CHARACTERS}`;
  throw invalidField(field, `${field} must have ${range} characters.`);
}
