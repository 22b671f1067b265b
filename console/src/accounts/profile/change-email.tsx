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

/** Sends a link to a new address; nothing changes until the link is opened. */
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
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  const send = async (valueOf: (field: string) => string, again: PasswordAgain) => {
    const address = valueOf("email");
    await client.profile.changeEmail({ email: address, ...again });
    setMailedTo(address);
  };
  const email = {
    ...accountFields().email,
    label: t("profile.newEmail"),
    autoComplete: "email",
    isFirst: true,
  } as const;
  return mailedTo === null ? (
    <Stack>
      <Text size="sm">{t("profile.emailText")}</Text>
      <GuardedForm fields={[email]} submit={t("account.sendLink")} onSubmit={send} />
    </Stack>
  ) : (
    <Stack>
      <Alert color="green" role="status">
        {t("profile.emailSent", { email: mailedTo })}
      </Alert>
      <Button data-autofocus autoFocus onClick={onClose}>
        {t("profile.done")}
      </Button>
    </Stack>
  );
}
