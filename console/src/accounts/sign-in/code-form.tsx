import { Anchor, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { FieldError, hasErrorCode } from "../../errors.ts";
import { Form } from "../../page/form.tsx";

interface CodeFormProps {
  /** Two-factor token from the response to the first step: password or identity provider. */
  readonly token: string;
  readonly onSignedIn: () => Promise<void>;
  /** Called when the sign-in took too long or had too many wrong codes and must start again. */
  readonly onExpired: () => void;
}

/** The second step of a sign-in: asks for a code from the authenticator app or a backup code. */
export function CodeForm({ token, onSignedIn, onExpired }: CodeFormProps) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<"app" | "backup">("app");
  const isBackup = kind === "backup";
  const field = {
    name: "code",
    label: t(`account.codes.${kind}.label`),
    hint: t(`account.codes.${kind}.hint`),
    type: "text",
    autoComplete: isBackup ? "off" : "one-time-code",
    hasInitialFocus: true,
    isNumeric: !isBackup,
  } as const;
  const finishSignIn = async (getValue: (name: string) => string) => {
    try {
      await client.signInWithCode({ token, code: getValue("code") });
    } catch (error) {
      if (hasErrorCode(error, "expired")) return onExpired();
      if (!hasErrorCode(error, "invalid_field")) throw error;
      throw new FieldError("code", t(`account.codes.${kind}.wrong`));
    }
    await onSignedIn();
  };
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t("account.codeText")}
      </Text>
      <Form
        key={kind}
        fields={[field]}
        submitLabel={t("account.codeSubmit")}
        onSubmit={finishSignIn}
      />
      <Anchor
        component="button"
        type="button"
        size="sm"
        onClick={() => setKind(isBackup ? "app" : "backup")}
      >
        {t(isBackup ? "account.useApp" : "account.useBackup")}
      </Anchor>
    </Stack>
  );
}
