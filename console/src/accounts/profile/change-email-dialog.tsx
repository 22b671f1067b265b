import { Alert, Button, Stack, Text } from "@mantine/core";
import type { PasswordConfirmation } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { Dialog } from "../../page/dialog.tsx";
import { createAccountFields } from "../account-fields.ts";
import { PasswordConfirmationForm } from "./password-confirmation-form.tsx";

interface ChangeEmailDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * A dialog that sends a link to a new email address. The address changes after the person confirms it on the link's
 * page.
 */
export function ChangeEmailDialog({ isOpen, onClose }: ChangeEmailDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} title={t("profile.emailTitle")} onClose={onClose}>
      <ChangeEmailSteps onClose={onClose} />
    </Dialog>
  );
}

function ChangeEmailSteps({ onClose }: Pick<ChangeEmailDialogProps, "onClose">) {
  const { t } = useTranslation();
  const [recipient, setRecipient] = useState<string | null>(null);
  const sendLink = async (
    getValue: (name: string) => string,
    passwordConfirmation: PasswordConfirmation,
  ) => {
    const newEmail = getValue("email");
    await client.profile.changeEmail({ email: newEmail, ...passwordConfirmation });
    setRecipient(newEmail);
  };
  const field = {
    ...createAccountFields().email,
    label: t("profile.newEmail"),
    autoComplete: "email",
    hasInitialFocus: true,
  } as const;
  return recipient === null ? (
    <Stack>
      <Text size="sm">{t("profile.emailText")}</Text>
      <PasswordConfirmationForm
        fields={[field]}
        submitLabel={t("account.sendLink")}
        onSubmit={sendLink}
      />
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
