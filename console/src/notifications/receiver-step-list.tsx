import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useThisDevice } from "../devices/use-this-device.ts";
import { ActionButton } from "../page/action-button.tsx";
import { DeviceStep } from "./device-step.tsx";
import classes from "./first-steps.module.css";
import { Step } from "./step.tsx";

/** The steps of an account that only receives a team's notifications. */
export function ReceiverStepList({ team }: { readonly team: string }) {
  return (
    <ol className={classes["list"]}>
      <DeviceStep />
      <TeamStep number={2} team={team} />
    </ol>
  );
}

function TeamStep({ number, team }: { readonly number: number; readonly team: string }) {
  const { t } = useTranslation();
  const { query, test } = useThisDevice();
  const deviceId = query.data?.deviceId ?? null;
  return (
    <Step number={number} isDone={false} title={t("onboarding.teamSends", { team })}>
      <Text size="sm" c="dimmed">
        {t("onboarding.teamSendsText")}
      </Text>
      {deviceId !== null && (
        <div>
          <ActionButton variant="default" run={() => test(deviceId)}>
            {t("device.sendTest")}
          </ActionButton>
        </div>
      )}
    </Step>
  );
}
