import { client } from "../client.ts";
import { makeForm } from "../page/form.ts";
import { FIELDS } from "./fields.ts";

/** Returns the form that opens a session. */
export function signInForm(onSignedIn: () => Promise<void>): HTMLFormElement {
  return makeForm({
    fields: [FIELDS.email, FIELDS.password],
    submit: "Sign in",
    onSubmit: async (valueOf) => {
      await client.signIn({ email: valueOf("email"), password: valueOf("password") });
      await onSignedIn();
    },
  });
}

/** Returns the form that makes an account, with the token of a set-up or invitation link, null for neither. */
export function signUpForm(token: string | null, onSignedIn: () => Promise<void>): HTMLFormElement {
  return makeForm({
    fields: [FIELDS.name, FIELDS.email, FIELDS.firstPassword],
    submit: "Create the account",
    onSubmit: async (valueOf) => {
      await client.signUp({
        name: valueOf("name"),
        email: valueOf("email"),
        password: valueOf("password"),
        ...(token === null ? {} : { token }),
      });
      await onSignedIn();
    },
  });
}
