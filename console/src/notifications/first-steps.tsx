import { Button, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { passkeyObstacle } from "../accounts/sign-in/passkey-obstacle.ts";
import { keysQuery, madeKeyQuery, makeKey } from "../keys/key-queries.ts";
import { loadPageTexts } from "../language/language.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Copyable } from "../page/copyable.tsx";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { teamsQuery } from "../teams/team-queries.ts";
import { DeviceStep } from "./device-step.tsx";
import classes from "./first-steps.module.css";
import { ReaderSteps } from "./reader-steps.tsx";
import { SendStep } from "./send-step.tsx";
import { Step } from "./step.tsx";

/** Loaded on demand: only the person who set the server up needs them, once. */
const ServerSteps = lazy(async () => {
  const [{ ServerSteps: component }] = await Promise.all([
    import("../administration/server-steps.tsx"),
    loadPageTexts(),
  ]);
  return { default: component };
});

export interface FirstStepsProps {
  /** The newest notification of the feed; null while there is none. */
  readonly arrived: FeedItem | null;
  /** Called when a step is taken. */
  readonly onBegin: () => void;
  /** Called when the person dismisses the steps. */
  readonly onDismiss: () => void;
}

/**
 * The steps to a first notification, each done from here. They stay beside what arrives until they are dismissed: the
 * key that they show is shown nowhere else. Administrators also get the steps that prepare the server. A plain member
 * of teams only receives, and is asked for no key and no command.
 */
export function FirstSteps({ arrived, onBegin, onDismiss }: FirstStepsProps) {
  const { t } = useTranslation();
  const { isAdmin } = useAccount();
  const { data: teams, isPending } = useQuery(teamsQuery);
  const isReader = !isAdmin && teams?.every(({ role }) => role === "member") === true;
  const [team] = isReader ? teams : [];
  // A person who only receives would see the sender's steps appear and disappear.
  if (isPending && !isAdmin) return null;
  return (
    <section className={classes["steps"]} aria-label={t("first.steps")} onClickCapture={onBegin}>
      {team === undefined ? (
        <SenderSteps arrived={arrived} />
      ) : (
        <OwnReaderSteps team={team.name} arrived={arrived} />
      )}
      {arrived !== null && <Dismissal onDismiss={onDismiss} />}
      {isAdmin && (
        <Suspense>
          <ServerSteps />
        </Suspense>
      )}
    </section>
  );
}

type Arrived = Pick<FirstStepsProps, "arrived">;

function SenderSteps({ arrived }: Arrived) {
  const { isAdmin } = useAccount();
  const { data: made = null } = useQuery(madeKeyQuery);
  const { t } = useTranslation();
  const text = t(isAdmin ? "first.welcomeText" : "first.text");
  return (
    <>
      <Welcome isBegun={made !== null || arrived !== null} text={text} />
      <ol className={classes["list"]}>
        <DeviceStep />
        <KeyStep />
        <SendStep arrived={arrived} />
      </ol>
    </>
  );
}

function OwnReaderSteps({ team, arrived }: Arrived & { readonly team: string }) {
  const { t } = useTranslation();
  return (
    <>
      <Welcome isBegun={arrived !== null} text={t("first.readerText")} />
      <ReaderSteps team={team} />
      <TextLink to={PATHS.keys}>{t("first.ownKey")}</TextLink>
    </>
  );
}

/** The greeting makes room once the steps are in progress: the next step must not need scrolling. */
function Welcome({ isBegun, text }: { readonly isBegun: boolean; readonly text: string }) {
  const { t } = useTranslation();
  const { isAdmin } = useAccount();
  const title = isAdmin ? "first.welcome" : "first.title";
  return (
    <div>
      <Title order={2} size="h4">
        {t(isBegun ? "first.steps" : title)}
      </Title>
      {!isBegun && (
        <Text c="dimmed" size="sm">
          {text}
        </Text>
      )}
    </div>
  );
}

function Dismissal({ onDismiss }: Pick<FirstStepsProps, "onDismiss">) {
  const { t } = useTranslation();
  return (
    <div className={classes["end"]}>
      <Button size="sm" onClick={onDismiss}>
        {t("first.dismiss")}
      </Button>
      <TextLink to={PATHS.devices}>{t("first.phone")}</TextLink>
      {passkeyObstacle() === null && <TextLink to={PATHS.security}>{t("first.passkey")}</TextLink>}
    </div>
  );
}

function KeyStep() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { data: made = null } = useQuery(madeKeyQuery);
  const { data: keys = [] } = useQuery(keysQuery);
  if (made !== null) {
    return (
      <Step number={2} isDone title={t("first.keyDone")}>
        <Text size="sm" c="dimmed">
          {t("key.once")}
        </Text>
        <Copyable name={t("first.apiKey")} text={made.key} />
      </Step>
    );
  }
  const hasSome = keys.length > 0;
  return (
    <Step number={2} isDone={hasSome} title={t(hasSome ? "first.keyDone" : "first.key")}>
      <Text size="sm" c="dimmed">
        {t(hasSome ? "first.keyShown" : "first.keyText")}
      </Text>
      <div>
        <ActionButton variant="default" run={() => makeKey(queryClient)}>
          {t(hasSome ? "first.anotherKey" : "key.make")}
        </ActionButton>
      </div>
    </Step>
  );
}
