import { AppError, invalidField } from "#errors.ts";

/** Returns what a refusal of the sign-in library, by its code, means in our words; null where it is our fault. */
export function refusalOf(code: string): AppError | null {
  return REFUSALS[code]?.() ?? null;
}

const REFUSALS: Readonly<Record<string, () => AppError>> = {
  PASSWORD_TOO_LONG: () => invalidField("currentPassword", "currentPassword is wrong."),
  CREDENTIAL_ACCOUNT_NOT_FOUND: () =>
    invalidField("currentPassword", "This account has no password. Ask for a link to choose one."),
  INVALID_PASSWORD: () => invalidField("currentPassword", "currentPassword is wrong."),
  UNAUTHORIZED: () => new AppError("unauthenticated", "Sign in first."),
};
