import { Alert, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { hasErrorCode, getErrorMessage } from "../../errors.ts";
import { Form } from "../../page/form.tsx";
import { createAccountFields } from "../account-fields.ts";
import { CodeForm } from "./code-form.tsx";
import { AlternativeSignIn } from "./alternative-sign-in.tsx";
import { usePasskeySuggestions } from "./use-passkey-suggestions.ts";

interface SignInFormProps {
  readonly onSignedIn: () => Promise<void>;
  /** Initial value of the email field. */
  readonly email?: string;
}

/** A form with all ways to sign in: password and code, passkey, or identity provider. */
export function SignInForm({ onSignedIn, email = "" }: SignInFormProps) {
  const { t } = useTranslation();
  const [token, setToken] = useState<string | null>(null);
  const [problem, setProblem] = useState("");
  const startOver = () => {
    setToken(null);
    setProblem(t("account.codeExpired"));
  };
  if (token !== null)
    return <CodeForm token={token} onSignedIn={onSignedIn} onExpired={startOver} />;
  return (
    <CredentialsStep
      email={email}
      problem={problem}
      onProblem={setProblem}
      onSignedIn={onSignedIn}
      onCodeRequired={(twoFactorToken) => {
        setProblem("");
        setToken(twoFactorToken);
      }}
    />
  );
}

interface CredentialsStepProps extends SignInFormProps {
  readonly problem: string;
  readonly onProblem: (problem: string) => void;
  readonly onCodeRequired: (token: string) => void;
}

function CredentialsStep({
  email: initialEmail = "",
  problem,
  onProblem,
  onSignedIn,
  onCodeRequired,
}: CredentialsStepProps) {
  const { t } = useTranslation();
  const { email, password } = createAccountFields();
  usePasskeySuggestions(onSignedIn);
  const signIn = async (getValue: (name: string) => string) => {
    onProblem("");
    const input = { email: getValue("email"), password: getValue("password") };
    const { twoFactorToken } = await client.signIn(input).catch((error: unknown) => {
      if (hasErrorCode(error, "unauthenticated")) throw new Error(t("account.wrongPassword"));
      throw error;
    });
    if (twoFactorToken === null) await onSignedIn();
    else onCodeRequired(twoFactorToken);
  };
  return (
    <Stack>
      {problem !== "" && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      <Form
        fields={[
          { ...email, initialValue: initialEmail, autoComplete: "username webauthn" },
          password,
        ]}
        submitLabel={t("account.signIn")}
        onSubmit={signIn}
      />
      <AlternativeSignIn
        onSignedIn={onSignedIn}
        onError={(error) => onProblem(error === undefined ? "" : getErrorMessage(error))}
      />
    </Stack>
  );
}
