import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useThisDevice } from "../devices/use-this-device.ts";
import { ActionButton } from "../page/action-button.tsx";
import { DeviceStep } from "./device-step.tsx";
import classes from "./first-steps.module.css";
import { Step } from "./step.tsx";

/** The steps of an account that only receives a team's notifications. */
export function ReceiverStepList({ teamName }: { readonly teamName: string }) {
  return (
    <ol className={classes["list"]}>
      <DeviceStep />
      <TeamStep number={2} teamName={teamName} />
    </ol>
  );
}

function TeamStep({ number, teamName }: { readonly number: number; readonly teamName: string }) {
  const { t } = useTranslation();
  const { query, sendTest } = useThisDevice();
  const deviceId = query.data?.deviceId ?? null;
  return (
    <Step number={number} isDone={false} title={t("onboarding.teamSends", { team: teamName })}>
      <Text size="sm" c="dimmed">
        {t("onboarding.teamSendsText")}
      </Text>
      {deviceId !== null && (
        <div>
          <ActionButton variant="default" run={() => sendTest(deviceId)}>
            {t("device.sendTest")}
          </ActionButton>
        </div>
      )}
    </Step>
  );
}
