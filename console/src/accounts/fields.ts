import type { Field } from "../page/form.ts";

/** The shortest password that the server takes. */
const PASSWORD_LENGTH_LEAST = 8;

/** Lines of the forms, named like the fields of the requests. */
export const FIELDS = {
  name: { name: "name", label: "Name", type: "text", autocomplete: "name" },
  email: { name: "email", label: "E-mail", type: "email", autocomplete: "username" },
  password: {
    name: "password",
    label: "Password",
    type: "password",
    autocomplete: "current-password",
  },
  firstPassword: {
    name: "password",
    label: "Password",
    type: "password",
    autocomplete: "new-password",
    hint: `At least ${PASSWORD_LENGTH_LEAST} characters.`,
    minLength: PASSWORD_LENGTH_LEAST,
  },
  newPassword: {
    name: "newPassword",
    label: "New password",
    type: "password",
    autocomplete: "new-password",
    hint: `At least ${PASSWORD_LENGTH_LEAST} characters.`,
    minLength: PASSWORD_LENGTH_LEAST,
  },
} as const satisfies Record<string, Field>;
