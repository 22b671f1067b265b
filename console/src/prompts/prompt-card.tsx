import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Prompt, PromptAnswer } from "@tocsin/sdk";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { QueryContent } from "../page/query-states.tsx";
import { Timestamp } from "../page/timestamp.tsx";
import { AnswerForm } from "./answer-form.tsx";
import { getAnswerText, isRinging } from "./prompt-facts.ts";
import { createPromptQuery } from "./prompt-queries.ts";
import { PromptHeadline } from "./prompt-texts.tsx";
import classes from "./prompt.module.css";

/** The prompt of a notification: its state, the ways to answer it, and its answers. */
export function PromptCard({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const ref = useRef<HTMLElement>(null);
  const query = useQuery(createPromptQuery(id));
  // When the prompt ends, the pressed button disappears, and would take the focus with it.
  const keepFocus = ({ state }: Prompt) => {
    if (state !== "open") ref.current?.focus({ preventScroll: true });
  };
  return (
    <section
      ref={ref}
      tabIndex={-1}
      className={classes["card"]}
      aria-label={t("prompt.card")}
      data-prompt={id}
    >
      <QueryContent query={query} rows={1}>
        {(prompt) => (
          <>
            <PromptHeadline prompt={prompt} fw={500} />
            {isRinging(prompt) && (
              <Text size="sm" c="dimmed">
                {t("prompt.rings")}
              </Text>
            )}
            {prompt.state === "open" && <AnswerForm prompt={prompt} isLarge onGiven={keepFocus} />}
            <Answers prompt={prompt} />
          </>
        )}
      </QueryContent>
    </section>
  );
}

/** The latest answer of each person. If one answer was enough, only how it was given: the headline has the rest. */
function Answers({ prompt }: { readonly prompt: Prompt }) {
  const { t } = useTranslation();
  const nameMeans = useMeansName();
  const { answer, answers, answersNeeded, ownAnswer, state } = prompt;
  if (answersNeeded === 1 && answer !== null)
    return (
      <Text size="sm" c="dimmed">
        {nameMeans(answer)}
      </Text>
    );
  if (answers.length === 0) return null;
  return (
    <>
      {state === "open" && ownAnswer !== null && (
        <Text size="sm">{t("prompt.changeable", { answer: getAnswerText(ownAnswer) })}</Text>
      )}
      <ul className={classes["list"]} aria-label={t("prompt.answers")}>
        {answers.map((given, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- answers keep their order, and have no id.
          <li key={index} className={classes["entry"]}>
            <Timestamp at={given.at} />
            <span>
              <strong dir="auto">{given.name ?? t("prompt.deletedAccount")}</strong>
              {` · ${nameMeans(given)}`}
              <span className={classes["answer"]} dir="auto">
                {getAnswerText(given)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Returns a function that names the device of an answer, or otherwise how it was given. */
function useMeansName(): (answer: PromptAnswer) => string {
  const { t } = useTranslation();
  return ({ deviceName, via }) => deviceName ?? t(`incident.via.${via}`);
}
