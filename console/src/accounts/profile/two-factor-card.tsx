import { Badge, Button, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { PasswordAgain, Security } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { Card } from "../../page/card.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { Loaded } from "../../page/states.tsx";
import { say } from "../../page/toasts.ts";
import { BackupCodes } from "./backup-codes.tsx";
import { GuardedForm } from "./guarded-form.tsx";
import { refresh, securityQuery } from "./profile-queries.ts";
import { Row, Rows } from "./row.tsx";
import { TurnOnTwoFactor, type TwoFactorDialogProps } from "./turn-on-two-factor.tsx";

type Asked = "on" | "off" | "codes";

/** Two-factor sign-in, and the backup codes for a lost authenticator app. */
export function TwoFactorCard() {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  return (
    <Card title={t("profile.twoFactor")}>
      <Loaded query={useQuery(securityQuery)} rows={1}>
        {(security) =>
          security.isTwoFactorOn ? (
            <On security={security} onAsk={setAsked} />
          ) : (
            <Row title={t("profile.twoFactorOff")} text={t("profile.twoFactorOffText")}>
              <Button onClick={() => setAsked("on")}>{t("profile.turnOn")}</Button>
            </Row>
          )
        }
      </Loaded>
      <TurnOnTwoFactor isOpen={asked === "on"} onClose={close} />
      <TurnOff isOpen={asked === "off"} onClose={close} />
      <NewBackupCodes isOpen={asked === "codes"} onClose={close} />
    </Card>
  );
}

interface OnProps {
  readonly security: Security;
  readonly onAsk: (what: Asked) => void;
}

/** Highest number of remaining backup codes that calls for a warning. */
const FEW_CODES = 3;

function On({ security: { backupCodesLeft: count }, onAsk }: OnProps) {
  const { t } = useTranslation();
  return (
    <Rows>
      <Row
        title={t("profile.twoFactorOn")}
        badge={
          <Badge color="green" variant="light" size="sm">
            {t("profile.isOn")}
          </Badge>
        }
        text={t("profile.twoFactorOnText")}
      >
        <Button variant="default" onClick={() => onAsk("off")}>
          {t("profile.turnOff")}
        </Button>
      </Row>
      <Row
        title={t("profile.codes")}
        badge={
          count <= FEW_CODES && (
            <Badge color="yellow" variant="light" size="sm">
              {t("profile.fewCodes")}
            </Badge>
          )
        }
        text={t("profile.codesLeft", { count })}
      >
        <Button variant="default" onClick={() => onAsk("codes")}>
          {t("profile.newCodes")}
        </Button>
      </Row>
    </Rows>
  );
}

function TurnOff({ isOpen, onClose }: TwoFactorDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const end = async (_: unknown, again: PasswordAgain) => {
    await client.twoFactor.end(again);
    await refresh(queryClient, securityQuery);
    say(t("profile.turnedOff"));
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} title={t("profile.turnOffTitle")} onClose={onClose}>
      <Stack>
        <Text size="sm">{t("profile.turnOffText")}</Text>
        <GuardedForm
          fields={[]}
          isPasswordKnownNeeded
          submit={t("profile.turnOff")}
          color="red"
          onSubmit={end}
        />
      </Stack>
    </Dialog>
  );
}

function NewBackupCodes({ isOpen, onClose }: TwoFactorDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} isKept title={t("profile.newCodes")} onClose={onClose}>
      <NewBackupCodesSteps onClose={onClose} />
    </Dialog>
  );
}

function NewBackupCodesSteps({ onClose }: Pick<TwoFactorDialogProps, "onClose">) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <BackupCodes codes={codes} onClose={onClose} />;
  const renew = async (_: unknown, again: PasswordAgain) => {
    setCodes((await client.twoFactor.renewBackupCodes(again)).backupCodes);
    await refresh(queryClient, securityQuery);
  };
  return (
    <Stack>
      <Text size="sm">{t("profile.newCodesText")}</Text>
      <GuardedForm
        fields={[]}
        isPasswordKnownNeeded
        submit={t("profile.newCodesSubmit")}
        onSubmit={renew}
      />
    </Stack>
  );
}
