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

/** A password that somebody chooses; `parsePassword` checks it. */
export const NewPassword = stated(Type.String(), {
  minLength: PASSWORD_MIN_CHARACTERS,
  maxLength: PASSWORD_MAX_CHARACTERS,
});

/** A session, or with two-factor sign-in the way to one. */
export const SignInAnswer = Type.Union([
  AccountAnswer,
  Type.Object({
    twoFactorToken: Type.String({ description: "For /api/auth/sign-in/two-factor." }),
  }),
]);

/** Returns what the app API shows of an account. */
export function answerAccount({ id, email, name, isAdmin }: Omit<Account, "isEmailVerified">) {
  return { id, email, name, isAdmin };
}
