import { Alert, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { messageOf } from "../errors.ts";
import { Form } from "../page/form.tsx";
import { accountFields } from "./fields.ts";
import { nameIn } from "./name-in.ts";
import { ProviderWay } from "./sign-in/other-ways.tsx";

export interface SignUpFormProps {
  readonly onSignedIn: () => Promise<void>;
  /** The token of a set-up or invitation link; null for neither. */
  readonly token: string | null;
  /** The address invited to a team; the link signs up no other. */
  readonly invited?: string;
}

/** The form that makes an account and opens its session. */
export function SignUpForm({ token, invited, onSignedIn }: SignUpFormProps) {
  const { t } = useTranslation();
  const { name, email, firstPassword } = accountFields();
  const [problem, setProblem] = useState("");
  return (
    <Stack>
      <Form
        fields={
          invited === undefined
            ? [name, email, firstPassword]
            : [
                { ...email, initial: invited, isFixed: true },
                { ...name, initial: nameIn(invited) },
                firstPassword,
              ]
        }
        submit={t(invited === undefined ? "account.createSubmit" : "account.createAndJoin")}
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
      <ProviderWay
        token={token}
        onError={(error) => setProblem(error === undefined ? "" : messageOf(error))}
      />
    </Stack>
  );
}
