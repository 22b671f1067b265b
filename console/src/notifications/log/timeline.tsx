import { Code } from "@mantine/core";
import type { DeliveryAttempt, DeliveryDetail } from "@tocsin/sdk";
import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatExactTime } from "../../page/timestamp.tsx";
import { formatDuration } from "./format-duration.ts";
import classes from "./record.module.css";

interface TimelineProps {
  readonly delivery: DeliveryDetail;
  readonly sentAt: string;
}

/** The recorded attempts of a delivery, from the acceptance of the notification to the current state. */
export function Timeline({ delivery, sentAt }: TimelineProps) {
  const { t } = useTranslation();
  const { deviceName, attemptHistory, attemptsLeftOut, state, updatedAt, nextAttemptAt } = delivery;
  const gapIndex = findGap(attemptHistory);
  const hasEnd = nextAttemptAt !== null || state === "queued" || endsWithAttempt(delivery);
  return (
    <ol className={classes["timeline"]} aria-label={t("log.history", { name: deviceName })}>
      <Step at={sentAt} sentAt={sentAt} mark="accepted-here" title={t("log.queuedAt")} />
      {attemptHistory.map((attempt, index) => (
        <Fragment key={`${attempt.at} ${attempt.attempt}`}>
          {index === gapIndex && (
            <li className={classes["gap"]}>
              {t("log.omittedAttempts", { count: attemptsLeftOut })}
            </li>
          )}
          <AttemptStep attempt={attempt} sentAt={sentAt} />
        </Fragment>
      ))}
      {!hasEnd && (
        <Step at={updatedAt} sentAt={sentAt} mark={state} title={t(`outcome.${state}`)} />
      )}
    </ol>
  );
}

/** Returns the index of the first attempt after omitted ones, where the numbers jump; -1 if none are omitted. */
function findGap(attempts: readonly DeliveryAttempt[]): number {
  let expectedNumber = 1;
  for (const [index, { attempt }] of attempts.entries()) {
    if (attempt === null) continue;
    if (attempt !== expectedNumber) return index;
    expectedNumber += 1;
  }
  return -1;
}

function endsWithAttempt({ attemptHistory, code }: DeliveryDetail): boolean {
  return attemptHistory.at(-1)?.code === code;
}

function AttemptStep({
  attempt,
  sentAt,
}: {
  readonly attempt: DeliveryAttempt;
  readonly sentAt: string;
}) {
  const { t } = useTranslation();
  const { at, outcome, code, answer, nextAttemptAt } = attempt;
  const numberText = attempt.attempt === null ? "" : `${attempt.attempt}. `;
  return (
    <Step at={at} sentAt={sentAt} mark={outcome} title={numberText + t(`attempt.${outcome}`)}>
      <span className={classes["answer"]}>
        <Code>{[code, answer].filter((part) => part !== null).join(" · ")}</Code>
      </span>
      {nextAttemptAt !== null && (
        <span className={classes["planned"]}>
          {t("log.nextAttemptPlanned", { when: formatExactTime(nextAttemptAt) })}
        </span>
      )}
    </Step>
  );
}

interface StepProps {
  readonly at: string;
  readonly sentAt: string;
  /** The state that selects the colour of the dot. */
  readonly mark: string;
  readonly title: string;
  readonly children?: ReactNode;
}

function Step({ at, sentAt, mark, title, children }: StepProps) {
  const { t } = useTranslation();
  const elapsedMs = Date.parse(at) - Date.parse(sentAt);
  return (
    <li className={classes["step"]} data-mark={mark}>
      <span className={classes["stepTitle"]}>{title}</span>
      <span className={classes["stepTime"]}>
        <time dateTime={at}>{formatExactTime(at)}</time>
        {elapsedMs > 0 && ` · ${t("log.later", { time: formatDuration(elapsedMs) })}`}
      </span>
      {children}
    </li>
  );
}
