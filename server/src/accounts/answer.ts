import { Type } from "#schema/json-schema.ts";
import { stated } from "#schema/stated.ts";
import { PASSWORD_MAX_CHARACTERS, PASSWORD_MIN_CHARACTERS, type Account } from "./account.ts";

/** An account as the app API shows it. */
export const AccountAnswer = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  isAdmin: Type.Boolean(),
});

/** A newly chosen password; `parsePassword` checks it. */
export const NewPassword = stated(Type.String(), {
  minLength: PASSWORD_MIN_CHARACTERS,
  maxLength: PASSWORD_MAX_CHARACTERS,
});

/** A signed-in account, or with two-factor sign-in the token for the next step. */
export const SignInAnswer = Type.Union([
  AccountAnswer,
  Type.Object({
    twoFactorToken: Type.String({ description: "For /api/auth/sign-in/two-factor." }),
  }),
]);

/** Returns the account as the app API shows it. */
export function answerAccount({ id, email, name, isAdmin }: Omit<Account, "isEmailVerified">) {
  return { id, email, name, isAdmin };
}
