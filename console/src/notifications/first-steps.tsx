import { Button, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { getPasskeyObstacle } from "../accounts/sign-in/passkey-obstacle.ts";
import { keysQuery, newKeyQuery, createKey } from "../keys/key-queries.ts";
import { loadPageTexts } from "../language/language.ts";
import { ActionButton } from "../page/action-button.tsx";
import { CopyableText } from "../page/copyable-text.tsx";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { teamsQuery } from "../teams/team-queries.ts";
import { DeviceStep } from "./device-step.tsx";
import classes from "./first-steps.module.css";
import { ReceiverStepList } from "./receiver-step-list.tsx";
import { SendStep } from "./send-step.tsx";
import { Step } from "./step.tsx";

/** Loaded on demand, because only administrators need these components. */
const ServerSteps = lazy(async () => {
  const [{ ServerSteps: component }] = await Promise.all([
    import("../administration/server-steps.tsx"),
    loadPageTexts(),
  ]);
  return { default: component };
});

interface FirstStepsProps {
  /** The newest notification of the feed; null while there is none. */
  readonly arrivedItem: FeedItem | null;
  /** Called on each click in the steps. */
  readonly onStart: () => void;
  /** Called when the person dismisses the steps. */
  readonly onDismiss: () => void;
}

/**
 * The steps to a first notification. They stay next to the feed until they are dismissed, because only they show the
 * new key. Administrators also get the steps to set up the server. An account that is only a plain member of teams
 * needs no key and gets the steps of a receiver.
 */
export function FirstSteps({ arrivedItem, onStart, onDismiss }: FirstStepsProps) {
  const { t } = useTranslation();
  const { isAdmin } = useAccount();
  const { data: teams, isPending } = useQuery(teamsQuery);
  const isReceiver = !isAdmin && teams?.every(({ role }) => role === "member") === true;
  const [team] = isReceiver ? teams : [];
  // A receiver would otherwise see the sender's steps appear and disappear.
  if (isPending && !isAdmin) return null;
  return (
    <section
      className={classes["steps"]}
      aria-label={t("onboarding.steps")}
      onClickCapture={onStart}
    >
      {team === undefined ? (
        <SenderSteps arrivedItem={arrivedItem} />
      ) : (
        <ReceiverSteps teamName={team.name} arrivedItem={arrivedItem} />
      )}
      {arrivedItem !== null && <StepsFooter onDismiss={onDismiss} />}
      {isAdmin && (
        <Suspense>
          <ServerSteps />
        </Suspense>
      )}
    </section>
  );
}

type ArrivedItemProps = Pick<FirstStepsProps, "arrivedItem">;

function SenderSteps({ arrivedItem }: ArrivedItemProps) {
  const { isAdmin } = useAccount();
  const { data: newKey = null } = useQuery(newKeyQuery);
  const { t } = useTranslation();
  const text = t(isAdmin ? "onboarding.welcomeText" : "onboarding.text");
  return (
    <>
      <Welcome hasStarted={newKey !== null || arrivedItem !== null} text={text} />
      <ol className={classes["list"]}>
        <DeviceStep />
        <KeyStep />
        <SendStep arrivedItem={arrivedItem} />
      </ol>
    </>
  );
}

function ReceiverSteps({
  teamName,
  arrivedItem,
}: ArrivedItemProps & { readonly teamName: string }) {
  const { t } = useTranslation();
  return (
    <>
      <Welcome hasStarted={arrivedItem !== null} text={t("onboarding.receiverText")} />
      <ReceiverStepList teamName={teamName} />
      <TextLink to={PATHS.keys}>{t("onboarding.ownKey")}</TextLink>
    </>
  );
}

/** The greeting. It shrinks once a key was created or a notification arrived, so that the next step is visible without scrolling. */
function Welcome({ hasStarted, text }: { readonly hasStarted: boolean; readonly text: string }) {
  const { t } = useTranslation();
  const { isAdmin } = useAccount();
  const title = isAdmin ? "onboarding.welcome" : "onboarding.title";
  return (
    <div>
      <Title order={2} size="h4">
        {t(hasStarted ? "onboarding.steps" : title)}
      </Title>
      {!hasStarted && (
        <Text c="dimmed" size="sm">
          {text}
        </Text>
      )}
    </div>
  );
}

function StepsFooter({ onDismiss }: Pick<FirstStepsProps, "onDismiss">) {
  const { t } = useTranslation();
  return (
    <div className={classes["footer"]}>
      <Button size="sm" onClick={onDismiss}>
        {t("onboarding.dismiss")}
      </Button>
      <TextLink to={PATHS.devices}>{t("onboarding.phone")}</TextLink>
      {getPasskeyObstacle() === null && (
        <TextLink to={PATHS.security}>{t("onboarding.passkey")}</TextLink>
      )}
    </div>
  );
}

function KeyStep() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { data: newKey = null } = useQuery(newKeyQuery);
  const { data: keys = [] } = useQuery(keysQuery);
  if (newKey !== null) {
    return (
      <Step number={2} isDone title={t("onboarding.keyDone")}>
        <Text size="sm" c="dimmed">
          {t("key.once")}
        </Text>
        <CopyableText name={t("onboarding.apiKey")} text={newKey.key} />
      </Step>
    );
  }
  const hasKeys = keys.length > 0;
  return (
    <Step number={2} isDone={hasKeys} title={t(hasKeys ? "onboarding.keyDone" : "onboarding.key")}>
      <Text size="sm" c="dimmed">
        {t(hasKeys ? "onboarding.keyShown" : "onboarding.keyText")}
      </Text>
      <div>
        <ActionButton variant="default" run={() => createKey(queryClient)}>
          {t(hasKeys ? "onboarding.anotherKey" : "key.newKey")}
        </ActionButton>
      </div>
    </Step>
  );
}
