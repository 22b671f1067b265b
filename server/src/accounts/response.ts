import { Type } from "#schema/json-schema.ts";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { PASSWORD_MAX_CHARACTERS, PASSWORD_MIN_CHARACTERS, type Account } from "./account.ts";

/** An account as the app API returns it. */
export const AccountResponse = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  isAdmin: Type.Boolean(),
});

/** A new password. `parsePassword` validates it. */
export const NewPassword = addDocumentedKeywords(Type.String(), {
  minLength: PASSWORD_MIN_CHARACTERS,
  maxLength: PASSWORD_MAX_CHARACTERS,
});

/** A signed-in account, or the token for the next step of a two-factor sign-in. */
export const SignInResponse = Type.Union([
  AccountResponse,
  Type.Object({
    twoFactorToken: Type.String({
      description: "The token to send to /api/auth/sign-in/two-factor.",
    }),
  }),
]);

/** Converts an account to the form that the app API returns. */
export function toAccountResponse({ id, email, name, isAdmin }: Omit<Account, "isEmailVerified">) {
  return { id, email, name, isAdmin };
}
