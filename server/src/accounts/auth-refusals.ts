import { AppError, invalidField } from "#errors.ts";

/** Returns what a refusal of the sign-in library, by its code, means in our words; null where it is our fault. */
export function refusalOf(code: string): AppError | null {
  return REFUSALS[code]?.() ?? null;
}

const expired = () =>
  new AppError("expired", "This link has expired or was used. Ask for a new one.");

const wrongCredentials = () =>
  new AppError("unauthenticated", "The e-mail address or the password is wrong.");

const REFUSALS: Readonly<Record<string, () => AppError>> = {
  INVALID_EMAIL_OR_PASSWORD: wrongCredentials,
  PASSWORD_TOO_LONG: wrongCredentials,
  INVALID_PASSWORD: () => invalidField("currentPassword", "currentPassword is wrong."),
  UNAUTHORIZED: () => new AppError("unauthenticated", "Sign in first."),
  INVALID_TOKEN: expired,
  TOKEN_EXPIRED: expired,
  USER_NOT_FOUND: expired,
};
