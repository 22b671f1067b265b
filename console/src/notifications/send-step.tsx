import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createClient, type FeedItem } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { firstCommand } from "../keys/first-command.ts";
import { madeKeyQuery } from "../keys/key-queries.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Copyable } from "../page/copyable.tsx";
import { TextLink } from "../page/text-link.tsx";
import { say } from "../page/toasts.ts";
import { PATHS } from "../paths.ts";
import { titleOf } from "./feed/title.ts";
import classes from "./first-steps.module.css";
import { Step } from "./step.tsx";

/** The last of the first steps: sends a notification, and shows it once it arrives. */
export function SendStep({ arrived }: { readonly arrived: FeedItem | null }) {
  const { t } = useTranslation();
  return (
    <Step
      number={3}
      isDone={arrived !== null}
      title={t(arrived === null ? "first.send" : "first.works")}
    >
      <div role="status" className={classes["content"]}>
        {arrived !== null && <Arrived item={arrived} />}
      </div>
      {arrived === null && <Sending />}
    </Step>
  );
}

function Arrived({ item }: { readonly item: FeedItem }) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm" c="dimmed">
        {t("first.worksText")}
      </Text>
      <div className={classes["arrived"]} data-arrived={item.id}>
        <Text fw={600} dir="auto">
          {titleOf(item)}
        </Text>
        <Text size="sm" lineClamp={3} dir="auto">
          {item.body}
        </Text>
      </div>
    </>
  );
}

function Sending() {
  const { t } = useTranslation();
  const { data: made = null } = useQuery(madeKeyQuery);
  return (
    <>
      {made !== null && (
        <>
          <div>
            <ActionButton run={() => sendWith(made.key, t("first.hello"))}>
              {t("first.sendHere")}
            </ActionButton>
          </div>
          <Text size="sm" c="dimmed">
            {t("first.sendText")}
          </Text>
          <Copyable name={t("first.command")} text={firstCommand(made.key)} />
        </>
      )}
      <Text size="sm">
        <TextLink to={PATHS.send}>{t("first.write")}</TextLink>
      </Text>
    </>
  );
}

/** Sends as a program would: with the key alone, whose refusal must not end the session. */
async function sendWith(apiKey: string, body: string): Promise<void> {
  const sender = createClient({ baseUrl: location.origin, apiKey });
  const { message } = await sender.notify({ title: "Tocsin", body });
  say(message);
}
