import { Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { passkeyObstacle } from "../accounts/sign-in/passkey-obstacle.ts";
import { ThisDeviceActions, ThisDevicePanel } from "../devices/this-device-panel.tsx";
import { useThisDevice } from "../devices/use-this-device.ts";
import { KEY_PLACEHOLDER } from "../keys/builder/send-request.ts";
import { firstCommand } from "../keys/first-command.ts";
import { madeKeyQuery, makeKey } from "../keys/key-queries.ts";
import { loadPageTexts } from "../language/language.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Copyable } from "../page/copyable.tsx";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import classes from "./first-steps.module.css";
import { Step } from "./step.tsx";

/** Only who set the server up needs them, once. */
const ServerSteps = lazy(async () => {
  const [{ ServerSteps: component }] = await Promise.all([
    import("../administration/server-steps.tsx"),
    loadPageTexts(),
  ]);
  return { default: component };
});

/** How many steps those of the server are. */
const SERVER_STEPS = 3;

/**
 * What an empty feed says: the steps to a first notification, each done from here; for an administrator, those that make
 * the server ready come first.
 */
export function FirstSteps() {
  const { t } = useTranslation();
  const { isAdmin } = useAccount();
  const before = isAdmin ? SERVER_STEPS : 0;
  return (
    <div className={classes["steps"]}>
      <div>
        <Title order={2} size="h4">
          {t(isAdmin ? "first.welcome" : "first.title")}
        </Title>
        <Text c="dimmed" size="sm">
          {t(isAdmin ? "first.welcomeText" : "first.text")}
        </Text>
      </div>
      <ol className={classes["list"]}>
        {isAdmin && (
          <Suspense>
            <ServerSteps />
          </Suspense>
        )}
        <DeviceStep number={before + 1} />
        <KeyStep number={before + 2} />
        <SendStep number={before + 3} />
      </ol>
      {passkeyObstacle() === null && <TextLink to={PATHS.security}>{t("first.passkey")}</TextLink>}
    </div>
  );
}

interface NumberedProps {
  readonly number: number;
}

function DeviceStep({ number }: NumberedProps) {
  const { t } = useTranslation();
  const { data: thisDevice } = useThisDevice().query;
  const isOn = thisDevice?.capability === "on";
  return (
    <Step number={number} isDone={isOn} title={t(isOn ? "first.deviceDone" : "first.device")}>
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
      <Text size="sm">
        <TextLink to={PATHS.devices}>{t("first.phone")}</TextLink>
      </Text>
    </Step>
  );
}

function KeyStep({ number }: NumberedProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { data: made = null } = useQuery(madeKeyQuery);
  const isMade = made !== null;
  return (
    <Step number={number} isDone={isMade} title={t(isMade ? "first.keyDone" : "first.key")}>
      <Text size="sm" c="dimmed">
        {t(isMade ? "key.once" : "first.keyText")}
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
  );
}

function SendStep({ number }: NumberedProps) {
  const { t } = useTranslation();
  const { data: made = null } = useQuery(madeKeyQuery);
  const command = firstCommand(made?.key ?? KEY_PLACEHOLDER);
  return (
    <Step number={number} isDone={false} title={t("first.send")}>
      <Text size="sm" c="dimmed">
        {t("first.sendText")}
      </Text>
      <Copyable name={t("first.command")} text={command} />
      <Text size="sm">
        <TextLink to={PATHS.send}>{t("first.write")}</TextLink>
      </Text>
    </Step>
  );
}
