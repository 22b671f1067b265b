import i18next from "i18next";
import type { Field } from "../page/form.tsx";

/** Characters of the shortest password that the server accepts. */
const PASSWORD_LENGTH_LEAST = 8;

/** Returns the fields of the account forms in the current language, named like the fields of the requests. */
export function accountFields() {
  const hint = i18next.t("account.passwordHint", { length: PASSWORD_LENGTH_LEAST });
  const password = { type: "password", label: i18next.t("account.password") } as const;
  const fresh = { autoComplete: "new-password", hint, minLength: PASSWORD_LENGTH_LEAST } as const;
  return {
    name: { name: "name", label: i18next.t("account.name"), type: "text", autoComplete: "name" },
    email: {
      name: "email",
      label: i18next.t("account.email"),
      type: "email",
      autoComplete: "username",
    },
    password: { ...password, name: "password", autoComplete: "current-password" },
    firstPassword: { ...password, ...fresh, name: "password" },
    newPassword: {
      ...password,
      ...fresh,
      name: "newPassword",
      label: i18next.t("account.newPassword"),
    },
  } as const satisfies Record<string, Field>;
}
