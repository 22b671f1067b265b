import { Alert, Button, Stack, Text } from "@mantine/core";
import type { PasswordAgain } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { Dialog } from "../../page/dialog.tsx";
import { accountFields } from "../fields.ts";
import { GuardedForm } from "./guarded-form.tsx";

export interface ChangeEmailProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Sends a link to a new e-mail address. The address changes when the link is opened. */
export function ChangeEmail({ isOpen, onClose }: ChangeEmailProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} title={t("profile.emailTitle")} onClose={onClose}>
      <Steps onClose={onClose} />
    </Dialog>
  );
}

function Steps({ onClose }: Pick<ChangeEmailProps, "onClose">) {
  const { t } = useTranslation();
  const [recipient, setRecipient] = useState<string | null>(null);
  const send = async (valueOf: (name: string) => string, passwordAgain: PasswordAgain) => {
    const newEmail = valueOf("email");
    await client.profile.changeEmail({ email: newEmail, ...passwordAgain });
    setRecipient(newEmail);
  };
  const field = {
    ...accountFields().email,
    label: t("profile.newEmail"),
    autoComplete: "email",
    isFirst: true,
  } as const;
  return recipient === null ? (
    <Stack>
      <Text size="sm">{t("profile.emailText")}</Text>
      <GuardedForm fields={[field]} submit={t("account.sendLink")} onSubmit={send} />
    </Stack>
  ) : (
    <Stack>
      <Alert color="green" role="status">
        {t("profile.emailSent", { email: recipient })}
      </Alert>
      <Button data-autofocus autoFocus onClick={onClose}>
        {t("profile.done")}
      </Button>
    </Stack>
  );
}
