import { Text, Title } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ThisDeviceActions, ThisDevicePanel } from "../devices/this-device-panel.tsx";
import { useThisDevice } from "../devices/use-this-device.ts";
import { curlCommand, KEY_PLACEHOLDER } from "../keys/curl.ts";
import { madeKeyQuery, makeKey } from "../keys/key-queries.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Copyable } from "../page/copyable.tsx";
import classes from "./first-steps.module.css";

/** What an empty feed says: the three steps to a first notification, each done from here. */
export function FirstSteps() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { data: thisDevice } = useThisDevice().query;
  const { data: made = null } = useQuery(madeKeyQuery);
  const isOn = thisDevice?.capability === "on";
  const command = curlCommand(location.origin, made?.key ?? KEY_PLACEHOLDER);
  return (
    <div className={classes["steps"]}>
      <div>
        <Title order={2} size="h4">
          {t("first.title")}
        </Title>
        <Text c="dimmed" size="sm">
          {t("first.text")}
        </Text>
      </div>
      <ol className={classes["list"]}>
        <Step number={1} isDone={isOn} title={t(isOn ? "first.deviceDone" : "first.device")}>
          {thisDevice?.capability === "off" ? (
            <>
              <Text size="sm" c="dimmed">
                {t("capability.off.text")}
              </Text>
              <div>
                <ThisDeviceActions {...thisDevice} />
              </div>
            </>
          ) : (
            !isOn && <ThisDevicePanel />
          )}
        </Step>
        <Step
          number={2}
          isDone={made !== null}
          title={t(made === null ? "first.key" : "first.keyDone")}
        >
          <Text size="sm" c="dimmed">
            {t(made === null ? "first.keyText" : "key.once")}
          </Text>
          {made === null ? (
            <div>
              <ActionButton variant="default" run={() => makeKey(queryClient)}>
                {t("key.make")}
              </ActionButton>
            </div>
          ) : (
            <Copyable name={t("first.apiKey")} text={made.key} />
          )}
        </Step>
        <Step number={3} isDone={false} title={t("first.send")}>
          <Text size="sm" c="dimmed">
            {t("first.sendText")}
          </Text>
          <Copyable name={t("first.command")} text={command} />
        </Step>
      </ol>
    </div>
  );
}

interface StepProps {
  readonly number: number;
  readonly isDone: boolean;
  readonly title: string;
  readonly children?: ReactNode;
}

function Step({ number, isDone, title, children }: StepProps) {
  return (
    <li className={classes["step"]} data-done={isDone || undefined}>
      <span className={classes["number"]} aria-hidden>
        {isDone ? <IconCheck size={16} stroke={2.5} /> : number}
      </span>
      <div className={classes["content"]}>
        <Title order={3} size="h6" className={classes["title"] ?? ""}>
          {title}
        </Title>
        {children}
      </div>
    </li>
  );
}
