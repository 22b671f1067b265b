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
import { skipStep, readSkippedSteps, type ServerStep } from "./skipped-steps.ts";
import { TestMailButton } from "./test-mail-button.tsx";
import { SignUpChoice } from "./sign-up-choice.tsx";

/** The optional steps to set up a new server: its URL, email and sign-up. */
export function ServerSteps() {
  const { t } = useTranslation();
  const { data: health } = useQuery(healthQuery);
  const { data: settings } = useQuery(settingsQuery);
  const [skippedSteps, setSkippedSteps] = useState(readSkippedSteps);
  const skip = (step: ServerStep) => setSkippedSteps(skipStep(step));
  const urlFindings = health?.findings.filter(({ subject }) => URL_SUBJECTS.has(subject)) ?? [];
  const isReachable = urlFindings.length > 0 && urlFindings.every(({ status }) => status === "ok");
  const hasMail = health?.mail.isConfigured === true;
  return (
    <>
      <div className={classes["heading"]}>
        <Title order={2} size="h4">
          {t("steps.title")}
        </Title>
        <Text c="dimmed" size="sm">
          {t("steps.text")}
        </Text>
      </div>
      <ol className={classes["list"]}>
        <Step
          number={1}
          isDone={isReachable || skippedSteps.has("address")}
          title={t("steps.address")}
        >
          {!skippedSteps.has("address") && (
            <SkippableStep isDone={isReachable} onSkip={() => skip("address")}>
              <Findings findings={urlFindings} />
              {!isReachable && health !== undefined && (
                <Text size="sm" c="dimmed">
                  {t("steps.addressText")}
                </Text>
              )}
            </SkippableStep>
          )}
        </Step>
        <Step number={2} isDone={skippedSteps.has("mail")} title={t("steps.mail")}>
          {!skippedSteps.has("mail") && (
            <SkippableStep isDone={false} onSkip={() => skip("mail")}>
              <Text size="sm" c="dimmed">
                {t(hasMail ? "steps.mailOn" : "steps.mailOff")}
              </Text>
              {hasMail && <TestMailButton />}
            </SkippableStep>
          )}
        </Step>
        <Step number={3} isDone={skippedSteps.has("signUp")} title={t("admin.signUpPolicy")}>
          {!skippedSteps.has("signUp") && settings !== undefined && (
            <SkippableStep isDone={false} onSkip={() => skip("signUp")}>
              <SignUpChoice signUp={settings.signUp} />
              <Text size="sm">
                <TextLink to={PATHS.accounts}>{t("steps.invite")}</TextLink>
              </Text>
            </SkippableStep>
          )}
        </Step>
      </ol>
    </>
  );
}

/** Subjects of the findings about the server's public URL. */
const URL_SUBJECTS: ReadonlySet<string> = new Set(["address", "base URL"]);

interface SkippableStepProps {
  readonly isDone: boolean;
  readonly onSkip: () => void;
  readonly children: ReactNode;
}

function SkippableStep({ isDone, onSkip, children }: SkippableStepProps) {
  const { t } = useTranslation();
  return (
    <>
      {children}
      {!isDone && (
        <Group>
          <Button variant="default" size="sm" onClick={onSkip}>
            {t("steps.keepAsIs")}
          </Button>
        </Group>
      )}
    </>
  );
}
