import { Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { PasswordConfirmation, TwoFactorSecrets } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { FieldError, hasErrorCode } from "../../errors.ts";
import { CopyableText } from "../../page/copyable-text.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { Form } from "../../page/form.tsx";
import { QrCode } from "../../page/qr-code.tsx";
import { BackupCodes } from "./backup-codes.tsx";
import { PasswordConfirmationForm } from "./password-confirmation-form.tsx";
import { refetchQueries, accountSignInMethodsQuery } from "./profile-queries.ts";
import classes from "./profile.module.css";

/** The props of a dialog that changes two-factor sign-in. */
export interface TwoFactorDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * A dialog that turns two-factor sign-in on. It asks for the password and a first code, then shows the backup codes.
 */
export function TurnOnTwoFactorDialog({ isOpen, onClose }: TwoFactorDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} isPersistent title={t("profile.turnOnTitle")} onClose={onClose}>
      <TurnOnSteps onClose={onClose} />
    </Dialog>
  );
}

function TurnOnSteps({ onClose }: Pick<TwoFactorDialogProps, "onClose">) {
  const { t } = useTranslation();
  const [twoFactor, setTwoFactor] = useState<TwoFactorSecrets | null>(null);
  const [isOn, setIsOn] = useState(false);
  if (twoFactor === null) {
    const beginSetUp = async (_: unknown, passwordConfirmation: PasswordConfirmation) => {
      setTwoFactor(await client.twoFactor.begin(passwordConfirmation));
    };
    return (
      <Stack>
        <Text size="sm">{t("profile.turnOnText")}</Text>
        <PasswordConfirmationForm
          fields={[]}
          isPasswordRequired
          submitLabel={t("profile.continue")}
          onSubmit={beginSetUp}
        />
      </Stack>
    );
  }
  if (isOn) return <BackupCodes codes={twoFactor.backupCodes} onClose={onClose} />;
  return <SecretStep twoFactor={twoFactor} onConfirmed={() => setIsOn(true)} />;
}

interface SecretStepProps {
  readonly twoFactor: TwoFactorSecrets;
  readonly onConfirmed: () => void;
}

function SecretStep({ twoFactor: { uri, secret }, onConfirmed }: SecretStepProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const codeField = {
    name: "code",
    label: t("account.codes.app.label"),
    hint: t("account.codes.app.hint"),
    type: "text",
    autoComplete: "one-time-code",
    isNumeric: true,
    hasInitialFocus: true,
  } as const;
  const confirmCode = async (getValue: (field: string) => string) => {
    await client.twoFactor.confirm({ code: getValue("code") }).catch((error: unknown) => {
      const isWrong = hasErrorCode(error, "invalid_field");
      throw isWrong ? new FieldError("code", t("profile.codeWrong")) : error;
    });
    onConfirmed();
    await refetchQueries(queryClient, accountSignInMethodsQuery);
  };
  return (
    <Stack>
      <Text size="sm">{t("profile.scan")}</Text>
      <div className={classes["square"]}>
        <QrCode text={uri} label={t("profile.scanLabel")} />
      </div>
      <Text size="sm">{t("profile.typeSecret")}</Text>
      <CopyableText name={t("profile.secret")} text={secret} />
      <Form fields={[codeField]} submitLabel={t("profile.turnOn")} onSubmit={confirmCode} />
    </Stack>
  );
}
