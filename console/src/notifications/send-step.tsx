import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createClient, type FeedItem } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { createFirstCommand } from "../keys/create-first-command.ts";
import { newKeyQuery } from "../keys/key-queries.ts";
import { ActionButton } from "../page/action-button.tsx";
import { CopyableText } from "../page/copyable-text.tsx";
import { TextLink } from "../page/text-link.tsx";
import { showToast } from "../page/toasts.ts";
import { PATHS } from "../paths.ts";
import { getDisplayTitle } from "./feed/display-title.ts";
import classes from "./first-steps.module.css";
import { Step } from "./step.tsx";

/** The last of the first steps: it sends a notification and shows it after it has arrived. */
export function SendStep({ arrivedItem }: { readonly arrivedItem: FeedItem | null }) {
  const { t } = useTranslation();
  return (
    <Step
      number={3}
      isDone={arrivedItem !== null}
      title={t(arrivedItem === null ? "onboarding.send" : "onboarding.arrived")}
    >
      <div role="status" className={classes["content"]}>
        {arrivedItem !== null && <ArrivedNotification item={arrivedItem} />}
      </div>
      {arrivedItem === null && <SendControls />}
    </Step>
  );
}

function ArrivedNotification({ item }: { readonly item: FeedItem }) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm" c="dimmed">
        {t("onboarding.arrivedText")}
      </Text>
      <div className={classes["arrived"]} data-arrived={item.id}>
        <Text fw={600} dir="auto">
          {getDisplayTitle(item)}
        </Text>
        <Text size="sm" lineClamp={3} dir="auto">
          {item.body}
        </Text>
      </div>
    </>
  );
}

function SendControls() {
  const { t } = useTranslation();
  const { data: newKey = null } = useQuery(newKeyQuery);
  return (
    <>
      {newKey !== null && (
        <>
          <div>
            <ActionButton run={() => sendWithKey(newKey.key, t("onboarding.hello"))}>
              {t("onboarding.sendHere")}
            </ActionButton>
          </div>
          <Text size="sm" c="dimmed">
            {t("onboarding.sendText")}
          </Text>
          <CopyableText name={t("onboarding.command")} text={createFirstCommand(newKey.key)} />
        </>
      )}
      <Text size="sm">
        <TextLink to={PATHS.send}>{t("onboarding.write")}</TextLink>
      </Text>
    </>
  );
}

/** Sends with only the API key, as a program would: if the server rejects the key, the session must not end. */
async function sendWithKey(apiKey: string, body: string): Promise<void> {
  const sender = createClient({ baseUrl: location.origin, apiKey });
  const { message } = await sender.notify({ title: "Tocsin", body });
  showToast(message);
}
