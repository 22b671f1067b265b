import { Alert, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { messageOf } from "../errors.ts";
import { Form } from "../page/form.tsx";
import { accountFields } from "./fields.ts";
import { suggestName } from "./suggest-name.ts";
import { ProviderSignUp } from "./sign-in/alternative-sign-in.tsx";

export interface SignUpFormProps {
  readonly onSignedIn: () => Promise<void>;
  /** The token of a set-up or invitation link; null for neither. */
  readonly token: string | null;
  /** The e-mail address invited to a team. The link signs up no other. */
  readonly invitedEmail?: string;
}

/** The form that creates an account and signs it in. */
export function SignUpForm({ token, invitedEmail, onSignedIn }: SignUpFormProps) {
  const { t } = useTranslation();
  const { name, email, firstPassword } = accountFields();
  const [problem, setProblem] = useState("");
  return (
    <Stack>
      <Form
        fields={
          invitedEmail === undefined
            ? [name, email, firstPassword]
            : [
                { ...email, initial: invitedEmail, isFixed: true },
                { ...name, initial: suggestName(invitedEmail) },
                firstPassword,
              ]
        }
        submit={t(invitedEmail === undefined ? "account.createSubmit" : "account.createAndJoin")}
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
      {problem !== "" && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      <ProviderSignUp
        token={token}
        onError={(error) => setProblem(error === undefined ? "" : messageOf(error))}
      />
    </Stack>
  );
}
