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
  /** Whether to ask for the password from the start: some actions need it however fresh the session is. */
  readonly isPasswordKnownNeeded?: boolean;
  /** Receives the values, and the password if the server asked for it. */
  readonly onSubmit: (valueOf: (name: string) => string, again: PasswordAgain) => Promise<void>;
}

/** A form whose request the server may refuse without the password: the form then asks for it and is sent again. */
export function GuardedForm(props: GuardedFormProps) {
  const { isPasswordKnownNeeded = false, fields, onSubmit, children, ...rest } = props;
  const { t } = useTranslation();
  const { data: security } = useQuery(securityQuery);
  const [isRefused, setRefused] = useState(false);
  const hasPassword = security?.hasPassword ?? true;
  if (isRefused && !hasPassword) return <SignInAnew />;
  const isAsked = hasPassword && (isRefused || isPasswordKnownNeeded);
  const password: Field = {
    ...accountFields().password,
    hint: t("profile.passwordAgain"),
    isFirst: true,
  };
  const send = async (valueOf: (name: string) => string) => {
    try {
      await onSubmit(valueOf, isAsked ? { password: valueOf("password") } : {});
    } catch (error) {
      if (isRefusedAs(error, "password_required")) setRefused(true);
      else throw explained(error, t("profile.wrongPassword"));
    }
  };
  return (
    <Form {...rest} fields={isAsked ? [...fields, password] : fields} onSubmit={send}>
      {children}
      {isAsked && <UsernameForManagers />}
    </Form>
  );
}

/** Hidden field that tells password managers which account a form is about. */
export function UsernameForManagers() {
  const { email } = useAccount();
  return (
    <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
  );
}

function explained(error: unknown, wrongPassword: string): unknown {
  const isWrong = isRefusedAs(error, "invalid_field") && error.field === "password";
  return isWrong ? new FieldError("password", wrongPassword) : error;
}

/** A person without a password proves their identity by signing in again. */
function SignInAnew() {
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
