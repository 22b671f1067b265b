import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { PasswordAgain } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FieldError, isRefusedAs } from "../../errors.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { Form, type Field, type FormProps } from "../../page/form.tsx";
import { useAccount } from "../account-context.ts";
import { accountFields } from "../fields.ts";
import { useSignOut } from "../sign-out.ts";
import { securityQuery } from "./profile-queries.ts";

export interface GuardedFormProps extends Omit<FormProps, "onSubmit"> {
  /** Whether to show the password field from the start. Some actions need the password even in a new session. */
  readonly isPasswordRequired?: boolean;
  /** Called with the field values, and with the password if the server requires it. */
  readonly onSubmit: (
    valueOf: (name: string) => string,
    passwordAgain: PasswordAgain,
  ) => Promise<void>;
}

/** A form whose request may require the password. If the server rejects it, the form shows the password field. */
export function GuardedForm(props: GuardedFormProps) {
  const { isPasswordRequired = false, fields, onSubmit, children, ...rest } = props;
  const { t } = useTranslation();
  const { data: security } = useQuery(securityQuery);
  const [isRefused, setRefused] = useState(false);
  const hasPassword = security?.hasPassword ?? true;
  if (isRefused && !hasPassword) return <SignInAgain />;
  const hasPasswordField = hasPassword && (isRefused || isPasswordRequired);
  const password: Field = {
    ...accountFields().password,
    hint: t("profile.passwordAgain"),
    isFirst: true,
  };
  const send = async (valueOf: (name: string) => string) => {
    try {
      await onSubmit(valueOf, hasPasswordField ? { password: valueOf("password") } : {});
    } catch (error) {
      if (isRefusedAs(error, "password_required")) setRefused(true);
      else throw toFieldError(error, t("profile.wrongPassword"));
    }
  };
  return (
    <Form {...rest} fields={hasPasswordField ? [...fields, password] : fields} onSubmit={send}>
      {children}
      {hasPasswordField && <HiddenUsername />}
    </Form>
  );
}

/** A hidden field with the account's e-mail address for password managers. */
export function HiddenUsername() {
  const { email } = useAccount();
  return (
    <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
  );
}

function toFieldError(error: unknown, wrongPassword: string): unknown {
  const isPassword = isRefusedAs(error, "invalid_field") && error.field === "password";
  return isPassword ? new FieldError("password", wrongPassword) : error;
}

/** Asks an account without a password to sign in again, which proves its identity. */
function SignInAgain() {
  const { t } = useTranslation();
  const signOut = useSignOut();
  return (
    <>
      <Alert color="yellow" role="alert" title={t("profile.signInAnew")}>
        <Text size="sm">{t("profile.signInAnewText")}</Text>
      </Alert>
      <ActionButton mt="md" run={signOut}>
        {t("shell.signOut")}
      </ActionButton>
    </>
  );
}
