import { Alert, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { isRefusedAs, messageOf } from "../../errors.ts";
import { Form } from "../../page/form.tsx";
import { accountFields } from "../fields.ts";
import { CodeForm } from "./code-form.tsx";
import { AlternativeSignIn } from "./alternative-sign-in.tsx";
import { usePasskeySuggestions } from "./use-passkey-suggestions.ts";

export interface SignInFormProps {
  readonly onSignedIn: () => Promise<void>;
  /** Initial value of the e-mail field. */
  readonly email?: string;
}

/** All ways to sign in: password and code, passkey, identity provider. */
export function SignInForm({ onSignedIn, email = "" }: SignInFormProps) {
  const { t } = useTranslation();
  const [token, setToken] = useState<string | null>(null);
  const [problem, setProblem] = useState("");
  const startOver = () => {
    setToken(null);
    setProblem(t("account.codeOver"));
  };
  if (token !== null)
    return <CodeForm token={token} onSignedIn={onSignedIn} onExpired={startOver} />;
  return (
    <FirstStep
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

interface FirstStepProps extends SignInFormProps {
  readonly problem: string;
  readonly onProblem: (problem: string) => void;
  readonly onCodeRequired: (token: string) => void;
}

function FirstStep({
  email: initial = "",
  problem,
  onProblem,
  onSignedIn,
  onCodeRequired,
}: FirstStepProps) {
  const { t } = useTranslation();
  const { email, password } = accountFields();
  usePasskeySuggestions(onSignedIn);
  const signIn = async (valueOf: (name: string) => string) => {
    onProblem("");
    const input = { email: valueOf("email"), password: valueOf("password") };
    const { twoFactorToken } = await client.signIn(input).catch((error: unknown) => {
      if (isRefusedAs(error, "unauthenticated")) throw new Error(t("account.wrongPassword"));
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
        fields={[{ ...email, initial, autoComplete: "username webauthn" }, password]}
        submit={t("account.signIn")}
        onSubmit={signIn}
      />
      <AlternativeSignIn
        onSignedIn={onSignedIn}
        onError={(error) => onProblem(error === undefined ? "" : messageOf(error))}
      />
    </Stack>
  );
}
