import { Code } from "@mantine/core";
import type { DeliveryAttempt, DeliveryDetail } from "@tocsin/sdk";
import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { exactly } from "../../page/moment.tsx";
import { durationText } from "./duration.ts";
import classes from "./record.module.css";

export interface TimeLineProps {
  readonly delivery: DeliveryDetail;
  readonly sentAt: string;
}

/** All attempts for one device, from the server's acceptance to the current state. */
export function TimeLine({ delivery, sentAt }: TimeLineProps) {
  const { t } = useTranslation();
  const { deviceName, attemptHistory, attemptsLeftOut, state, updatedAt, nextAttemptAt } = delivery;
  const gap = gapAt(attemptHistory);
  const isEndTold = nextAttemptAt !== null || state === "queued" || endsByAttempt(delivery);
  return (
    <ol className={classes["timeline"]} aria-label={t("log.history", { name: deviceName })}>
      <Step at={sentAt} sentAt={sentAt} mark="accepted-here" title={t("log.queuedAt")} />
      {attemptHistory.map((attempt, index) => (
        <Fragment key={`${attempt.at} ${attempt.attempt}`}>
          {index === gap && (
            <li className={classes["gap"]}>{t("log.leftOut", { count: attemptsLeftOut })}</li>
          )}
          <AttemptStep attempt={attempt} sentAt={sentAt} />
        </Fragment>
      ))}
      {!isEndTold && (
        <Step at={updatedAt} sentAt={sentAt} mark={state} title={t(`outcome.${state}`)} />
      )}
    </ol>
  );
}

/** Returns the index at which attempts are left out, which shows as a jump in their numbers; -1 for none. */
function gapAt(attempts: readonly DeliveryAttempt[]): number {
  let expected = 1;
  for (const [index, { attempt }] of attempts.entries()) {
    if (attempt === null) continue;
    if (attempt !== expected) return index;
    expected += 1;
  }
  return -1;
}

function endsByAttempt({ attemptHistory, code }: DeliveryDetail): boolean {
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
  const number = attempt.attempt === null ? "" : `${attempt.attempt}. `;
  return (
    <Step at={at} sentAt={sentAt} mark={outcome} title={number + t(`attempt.${outcome}`)}>
      <span className={classes["answer"]}>
        <Code>{[code, answer].filter((part) => part !== null).join(" · ")}</Code>
      </span>
      {nextAttemptAt !== null && (
        <span className={classes["planned"]}>
          {t("log.nextWas", { when: exactly(nextAttemptAt) })}
        </span>
      )}
    </Step>
  );
}

interface StepProps {
  readonly at: string;
  readonly sentAt: string;
  /** Selects the colour of the dot. */
  readonly mark: string;
  readonly title: string;
  readonly children?: ReactNode;
}

function Step({ at, sentAt, mark, title, children }: StepProps) {
  const { t } = useTranslation();
  const laterMs = Date.parse(at) - Date.parse(sentAt);
  return (
    <li className={classes["step"]} data-mark={mark}>
      <span className={classes["stepTitle"]}>{title}</span>
      <span className={classes["stepTime"]}>
        <time dateTime={at}>{exactly(at)}</time>
        {laterMs > 0 && ` · ${t("log.later", { time: durationText(laterMs) })}`}
      </span>
      {children}
    </li>
  );
}
