import { TocsinError } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { Form } from "../page/form.tsx";
import { accountFields } from "./fields.ts";

export interface SignInFormProps {
  readonly onSignedIn: () => Promise<void>;
}

/** The form that opens a session. */
export function SignInForm({ onSignedIn }: SignInFormProps) {
  const { t } = useTranslation();
  const { email, password } = accountFields();
  return (
    <Form
      fields={[email, password]}
      submit={t("account.signIn")}
      onSubmit={async (valueOf) => {
        await client
          .signIn({ email: valueOf("email"), password: valueOf("password") })
          .catch((error: unknown) => {
            throw isWrong(error) ? new Error(t("account.wrongPassword")) : error;
          });
        await onSignedIn();
      }}
    />
  );
}

export interface SignUpFormProps extends SignInFormProps {
  /** That of a set-up or invitation link, null for neither. */
  readonly token: string | null;
}

/** The form that makes an account and opens its session. */
export function SignUpForm({ token, onSignedIn }: SignUpFormProps) {
  const { t } = useTranslation();
  const { name, email, firstPassword } = accountFields();
  return (
    <Form
      fields={[name, email, firstPassword]}
      submit={t("account.createSubmit")}
      onSubmit={async (valueOf) => {
        await client.signUp({
          name: valueOf("name"),
          email: valueOf("email"),
          password: valueOf("password"),
          ...(token === null ? {} : { token }),
        });
        await onSignedIn();
      }}
    />
  );
}

function isWrong(error: unknown): boolean {
  return error instanceof TocsinError && error.code === "unauthenticated";
}
