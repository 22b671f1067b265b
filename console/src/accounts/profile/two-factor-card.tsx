import { Badge, Button, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { PasswordConfirmation, SignInSettings } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { Card } from "../../page/card.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { QueryContent } from "../../page/query-states.tsx";
import { showToast } from "../../page/toasts.ts";
import { BackupCodes } from "./backup-codes.tsx";
import { PasswordConfirmationForm } from "./password-confirmation-form.tsx";
import { refetchQueries, accountSignInMethodsQuery } from "./profile-queries.ts";
import { SettingRow, SettingRows } from "./setting-row.tsx";
import { TurnOnTwoFactorDialog, type TwoFactorDialogProps } from "./turn-on-two-factor-dialog.tsx";

type DialogName = "on" | "off" | "codes";

/**
 * A card that turns two-factor sign-in on or off and renews the backup codes, which replace a lost authenticator app.
 */
export function TwoFactorCard() {
  const { t } = useTranslation();
  const [openDialog, setOpenDialog] = useState<DialogName | null>(null);
  const close = () => setOpenDialog(null);
  return (
    <Card title={t("profile.twoFactor")}>
      <QueryContent query={useQuery(accountSignInMethodsQuery)} rows={1}>
        {(security) =>
          security.isTwoFactorOn ? (
            <TwoFactorOn security={security} onSelect={setOpenDialog} />
          ) : (
            <SettingRow title={t("profile.twoFactorOff")} text={t("profile.twoFactorOffText")}>
              <Button onClick={() => setOpenDialog("on")}>{t("profile.turnOn")}</Button>
            </SettingRow>
          )
        }
      </QueryContent>
      <TurnOnTwoFactorDialog isOpen={openDialog === "on"} onClose={close} />
      <TurnOffTwoFactorDialog isOpen={openDialog === "off"} onClose={close} />
      <NewBackupCodesDialog isOpen={openDialog === "codes"} onClose={close} />
    </Card>
  );
}

interface TwoFactorOnProps {
  readonly security: SignInSettings;
  readonly onSelect: (dialog: DialogName) => void;
}

/** Maximum number of remaining backup codes that shows a warning. */
const FEW_CODES_MAX = 3;

function TwoFactorOn({ security: { backupCodesLeft }, onSelect }: TwoFactorOnProps) {
  const { t } = useTranslation();
  return (
    <SettingRows>
      <SettingRow
        title={t("profile.twoFactorOn")}
        badge={
          <Badge color="green" variant="light" size="sm">
            {t("profile.on")}
          </Badge>
        }
        text={t("profile.twoFactorOnText")}
      >
        <Button variant="default" onClick={() => onSelect("off")}>
          {t("profile.turnOff")}
        </Button>
      </SettingRow>
      <SettingRow
        title={t("profile.codes")}
        badge={
          backupCodesLeft <= FEW_CODES_MAX && (
            <Badge color="yellow" variant="light" size="sm">
              {t("profile.fewCodes")}
            </Badge>
          )
        }
        text={t("profile.codesLeft", { count: backupCodesLeft })}
      >
        <Button variant="default" onClick={() => onSelect("codes")}>
          {t("profile.newCodes")}
        </Button>
      </SettingRow>
    </SettingRows>
  );
}

function TurnOffTwoFactorDialog({ isOpen, onClose }: TwoFactorDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const turnOff = async (_: unknown, passwordConfirmation: PasswordConfirmation) => {
    await client.twoFactor.end(passwordConfirmation);
    await refetchQueries(queryClient, accountSignInMethodsQuery);
    showToast(t("profile.turnedOff"));
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} title={t("profile.turnOffTitle")} onClose={onClose}>
      <Stack>
        <Text size="sm">{t("profile.turnOffText")}</Text>
        <PasswordConfirmationForm
          fields={[]}
          isPasswordRequired
          submitLabel={t("profile.turnOff")}
          color="red"
          onSubmit={turnOff}
        />
      </Stack>
    </Dialog>
  );
}

function NewBackupCodesDialog({ isOpen, onClose }: TwoFactorDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} isPersistent title={t("profile.newCodes")} onClose={onClose}>
      <NewBackupCodesSteps onClose={onClose} />
    </Dialog>
  );
}

function NewBackupCodesSteps({ onClose }: Pick<TwoFactorDialogProps, "onClose">) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <BackupCodes codes={codes} onClose={onClose} />;
  const renew = async (_: unknown, passwordConfirmation: PasswordConfirmation) => {
    setCodes((await client.twoFactor.renewBackupCodes(passwordConfirmation)).backupCodes);
    await refetchQueries(queryClient, accountSignInMethodsQuery);
  };
  return (
    <Stack>
      <Text size="sm">{t("profile.newCodesText")}</Text>
      <PasswordConfirmationForm
        fields={[]}
        isPasswordRequired
        submitLabel={t("profile.newCodesSubmit")}
        onSubmit={renew}
      />
    </Stack>
  );
}
