import { Button, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "../notifications/first-steps.module.css";
import { Step } from "../notifications/step.tsx";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { healthQuery, settingsQuery } from "./administration-queries.ts";
import { Findings } from "./findings.tsx";
import { keepLater, keptLater, type ServerStep } from "./later.ts";
import { MailTest } from "./mail-test.tsx";
import { SignUpChoice } from "./sign-up-choice.tsx";

/** Steps that prepare a new server: its address, mail, and sign-up. All of them are optional. */
export function ServerSteps() {
  const { t } = useTranslation();
  const { data: health } = useQuery(healthQuery);
  const { data: settings } = useQuery(settingsQuery);
  const [later, setLater] = useState(keptLater);
  const put = (step: ServerStep) => setLater(keepLater(step));
  const address = health?.findings.filter(({ subject }) => ADDRESS.has(subject)) ?? [];
  const isReachable = address.length > 0 && address.every(({ status }) => status === "ok");
  const hasMail = health?.mail.isConfigured === true;
  return (
    <>
      <div className={classes["yours"]}>
        <Title order={2} size="h4">
          {t("steps.title")}
        </Title>
        <Text c="dimmed" size="sm">
          {t("steps.text")}
        </Text>
      </div>
      <ol className={classes["list"]}>
        <Step number={1} isDone={isReachable || later.has("address")} title={t("steps.address")}>
          {!later.has("address") && (
            <Skippable isDone={isReachable} onLater={() => put("address")}>
              <Findings findings={address} />
              {!isReachable && health !== undefined && (
                <Text size="sm" c="dimmed">
                  {t("steps.addressText")}
                </Text>
              )}
            </Skippable>
          )}
        </Step>
        <Step number={2} isDone={later.has("mail")} title={t("steps.mail")}>
          {!later.has("mail") && (
            <Skippable isDone={false} onLater={() => put("mail")}>
              <Text size="sm" c="dimmed">
                {t(hasMail ? "steps.mailOn" : "steps.mailOff")}
              </Text>
              {hasMail && <MailTest />}
            </Skippable>
          )}
        </Step>
        <Step number={3} isDone={later.has("signUp")} title={t("admin.whoMay")}>
          {!later.has("signUp") && settings !== undefined && (
            <Skippable isDone={false} onLater={() => put("signUp")}>
              <SignUpChoice signUp={settings.signUp} />
              <Text size="sm">
                <TextLink to={PATHS.accounts}>{t("steps.invite")}</TextLink>
              </Text>
            </Skippable>
          )}
        </Step>
      </ol>
    </>
  );
}

/** Subjects of the findings about the server's public address. */
const ADDRESS: ReadonlySet<string> = new Set(["address", "base URL"]);

interface SkippableProps {
  readonly isDone: boolean;
  readonly onLater: () => void;
  readonly children: ReactNode;
}

function Skippable({ isDone, onLater, children }: SkippableProps) {
  const { t } = useTranslation();
  return (
    <>
      {children}
      {!isDone && (
        <Group>
          <Button variant="default" size="sm" onClick={onLater}>
            {t("steps.leaveIt")}
          </Button>
        </Group>
      )}
    </>
  );
}
