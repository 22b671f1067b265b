import { Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { NewTwoFactor, PasswordAgain } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { FieldError, isRefusedAs } from "../../errors.ts";
import { Copyable } from "../../page/copyable.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { Form } from "../../page/form.tsx";
import { QrCode } from "../../page/qr-code.tsx";
import { BackupCodes } from "./backup-codes.tsx";
import { GuardedForm } from "./guarded-form.tsx";
import { refresh, securityQuery } from "./profile-queries.ts";
import classes from "./profile.module.css";

export interface TwoFactorDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Turns two-factor sign-in on: asks for the password and a first code, then shows the backup codes. */
export function TurnOnTwoFactor({ isOpen, onClose }: TwoFactorDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} isPersistent title={t("profile.turnOnTitle")} onClose={onClose}>
      <Steps onClose={onClose} />
    </Dialog>
  );
}

function Steps({ onClose }: Pick<TwoFactorDialogProps, "onClose">) {
  const { t } = useTranslation();
  const [twoFactor, setTwoFactor] = useState<NewTwoFactor | null>(null);
  const [isOn, setOn] = useState(false);
  if (twoFactor === null) {
    const begin = async (_: unknown, passwordAgain: PasswordAgain) => {
      setTwoFactor(await client.twoFactor.begin(passwordAgain));
    };
    return (
      <Stack>
        <Text size="sm">{t("profile.turnOnText")}</Text>
        <GuardedForm
          fields={[]}
          isPasswordRequired
          submit={t("profile.continue")}
          onSubmit={begin}
        />
      </Stack>
    );
  }
  if (isOn) return <BackupCodes codes={twoFactor.backupCodes} onClose={onClose} />;
  return <SecretStep twoFactor={twoFactor} onConfirmed={() => setOn(true)} />;
}

interface SecretStepProps {
  readonly twoFactor: NewTwoFactor;
  readonly onConfirmed: () => void;
}

function SecretStep({ twoFactor: { uri, secret }, onConfirmed }: SecretStepProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const code = {
    name: "code",
    label: t("account.codes.app.label"),
    hint: t("account.codes.app.hint"),
    type: "text",
    autoComplete: "one-time-code",
    isNumeric: true,
    isFirst: true,
  } as const;
  const confirm = async (valueOf: (field: string) => string) => {
    await client.twoFactor.confirm({ code: valueOf("code") }).catch((error: unknown) => {
      const isWrong = isRefusedAs(error, "invalid_field");
      throw isWrong ? new FieldError("code", t("profile.codeWrong")) : error;
    });
    onConfirmed();
    await refresh(queryClient, securityQuery);
  };
  return (
    <Stack>
      <Text size="sm">{t("profile.scan")}</Text>
      <div className={classes["square"]}>
        <QrCode text={uri} label={t("profile.scanLabel")} />
      </div>
      <Text size="sm">{t("profile.typeSecret")}</Text>
      <Copyable name={t("profile.secret")} text={secret} />
      <Form fields={[code]} submit={t("profile.turnOn")} onSubmit={confirm} />
    </Stack>
  );
}
