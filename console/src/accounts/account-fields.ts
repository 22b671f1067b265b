import i18next from "i18next";
import type { FormField } from "../page/form.tsx";

/** Minimum length of a password that the server accepts, in characters. */
const PASSWORD_LENGTH_MIN = 8;

/** Returns the fields of the account forms in the current language. Their names are the field names of the requests. */
export function createAccountFields() {
  const hint = i18next.t("account.passwordHint", { length: PASSWORD_LENGTH_MIN });
  const password = { type: "password", label: i18next.t("account.password") } as const;
  const newPasswordProps = {
    autoComplete: "new-password",
    hint,
    minLength: PASSWORD_LENGTH_MIN,
  } as const;
  return {
    name: { name: "name", label: i18next.t("account.name"), type: "text", autoComplete: "name" },
    email: {
      name: "email",
      label: i18next.t("account.email"),
      type: "email",
      autoComplete: "username",
    },
    password: { ...password, name: "password", autoComplete: "current-password" },
    signUpPassword: { ...password, ...newPasswordProps, name: "password" },
    newPassword: {
      ...password,
      ...newPasswordProps,
      name: "newPassword",
      label: i18next.t("account.newPassword"),
    },
  } as const satisfies Record<string, FormField>;
}
