import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { PasswordConfirmation } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FieldError, hasErrorCode } from "../../errors.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { Form, type FormField, type FormProps } from "../../page/form.tsx";
import { useAccount } from "../account-context.ts";
import { createAccountFields } from "../account-fields.ts";
import { useSignOut } from "../sign-out.ts";
import { accountSignInMethodsQuery } from "./profile-queries.ts";

interface PasswordConfirmationFormProps extends Omit<FormProps, "onSubmit"> {
  /** Whether to show the password field from the start. Some actions need the password even in a new session. */
  readonly isPasswordRequired?: boolean;
  /** Called with the field values, and with the password if the server requires it. */
  readonly onSubmit: (
    getValue: (name: string) => string,
    passwordConfirmation: PasswordConfirmation,
  ) => Promise<void>;
}

/**
 * A form whose request may require the password. If the server then demands the password, the form shows a field for
 * it. An account without a password must sign in again.
 */
export function PasswordConfirmationForm(props: PasswordConfirmationFormProps) {
  const { isPasswordRequired = false, fields, onSubmit, children, ...formProps } = props;
  const { t } = useTranslation();
  const { data: signInMethods } = useQuery(accountSignInMethodsQuery);
  const [isPasswordDemanded, setIsPasswordDemanded] = useState(false);
  const hasPassword = signInMethods?.hasPassword ?? true;
  if (isPasswordDemanded && !hasPassword) return <SignInAgain />;
  const hasPasswordField = hasPassword && (isPasswordDemanded || isPasswordRequired);
  const passwordField: FormField = {
    ...createAccountFields().password,
    hint: t("profile.passwordAgain"),
    hasInitialFocus: true,
  };
  const submit = async (getValue: (name: string) => string) => {
    try {
      await onSubmit(getValue, hasPasswordField ? { password: getValue("password") } : {});
    } catch (error) {
      if (hasErrorCode(error, "password_required")) setIsPasswordDemanded(true);
      else throw toFieldError(error, t("profile.wrongPassword"));
    }
  };
  return (
    <Form
      {...formProps}
      fields={hasPasswordField ? [...fields, passwordField] : fields}
      onSubmit={submit}
    >
      {children}
      {hasPasswordField && <HiddenUsername />}
    </Form>
  );
}

/** A hidden field from which password managers learn the account's email address. */
export function HiddenUsername() {
  const { email } = useAccount();
  return (
    <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
  );
}

function toFieldError(error: unknown, wrongPassword: string): unknown {
  const isWrong = hasErrorCode(error, "invalid_field") && error.field === "password";
  return isWrong ? new FieldError("password", wrongPassword) : error;
}

/** A notice that asks an account without a password to sign in again, which proves its identity. */
function SignInAgain() {
  const { t } = useTranslation();
  const signOut = useSignOut();
  return (
    <>
      <Alert color="yellow" role="alert" title={t("profile.signInAgain")}>
        <Text size="sm">{t("profile.signInAgainText")}</Text>
      </Alert>
      <ActionButton mt="md" run={signOut}>
        {t("shell.signOut")}
      </ActionButton>
    </>
  );
}
