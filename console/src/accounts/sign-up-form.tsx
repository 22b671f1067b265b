import { Alert, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { getErrorMessage } from "../errors.ts";
import { Form } from "../page/form.tsx";
import { createAccountFields } from "./account-fields.ts";
import { suggestName } from "./suggest-name.ts";
import { IdentityProviderSignUp } from "./sign-in/alternative-sign-in.tsx";

interface SignUpFormProps {
  readonly onSignedIn: () => Promise<void>;
  /** The token of a set-up or invitation link; null for neither. */
  readonly token: string | null;
  /** The email address invited to a team. The link signs up no other. */
  readonly invitedEmail?: string;
}

/** The form that creates an account and signs it in. */
export function SignUpForm({ token, invitedEmail, onSignedIn }: SignUpFormProps) {
  const { t } = useTranslation();
  const { name, email, signUpPassword } = createAccountFields();
  const [problem, setProblem] = useState("");
  return (
    <Stack>
      <Form
        fields={
          invitedEmail === undefined
            ? [name, email, signUpPassword]
            : [
                { ...email, initialValue: invitedEmail, isReadOnly: true },
                { ...name, initialValue: suggestName(invitedEmail) },
                signUpPassword,
              ]
        }
        submitLabel={t(
          invitedEmail === undefined ? "account.createSubmit" : "account.createAndJoin",
        )}
        onSubmit={async (getValue) => {
          await client.signUp({
            name: getValue("name"),
            email: getValue("email"),
            password: getValue("password"),
            ...(token === null ? {} : { token }),
          });
          await onSignedIn();
        }}
      />
      {problem !== "" && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      <IdentityProviderSignUp
        token={token}
        onError={(error) => setProblem(error === undefined ? "" : getErrorMessage(error))}
      />
    </Stack>
  );
}
