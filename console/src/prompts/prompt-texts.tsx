import { Text, type TextProps } from "@mantine/core";
import type { Prompt } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { getCurrentLocale } from "../language/language.ts";
import { Timestamp } from "../page/timestamp.tsx";
import { PromptBadge } from "./prompt-badge.tsx";
import { countVotes, getAgreement, getAnswerText, listDeciders } from "./prompt-facts.ts";
import classes from "./prompt.module.css";

/** Returns a function that names the people whose answer counted, such as `Ann and Ben`. */
function useDeciderNames(): (prompt: Prompt) => string {
  const { t } = useTranslation();
  return (prompt) => {
    const names = listDeciders(prompt).map((name) => name ?? t("prompt.byDeletedAccount"));
    return new Intl.ListFormat(getCurrentLocale(), { type: "conjunction" }).format(names);
  };
}

/** Returns a function that says why an answer came too late. */
export function useLateDescription(): (prompt: Prompt) => string {
  const { t } = useTranslation();
  const nameDeciders = useDeciderNames();
  return (prompt) => {
    const { state, answer } = prompt;
    if (state !== "answered" || answer === null) return t(`prompt.headline.${state}`);
    return t("prompt.late", { name: nameDeciders(prompt), answer: getAnswerText(answer) });
  };
}

/** Returns a function that describes the state of a prompt: how far people agree, or the answer and who gave it. */
function useStateDescription(): (prompt: Prompt) => string {
  const { t } = useTranslation();
  const nameDeciders = useDeciderNames();
  return (prompt) => {
    const { state, answer } = prompt;
    if (state === "answered" && answer !== null)
      return t("prompt.answeredBy", { name: nameDeciders(prompt), answer: getAnswerText(answer) });
    const agreement = getAgreement(prompt);
    const headline = t(`prompt.headline.${state}`);
    if (agreement === null || state === "cancelled") return headline;
    const progress = t("prompt.agreement", { ...agreement });
    if (state === "expired") return agreement.votes === 0 ? headline : `${headline} · ${progress}`;
    const chosen = countVotes(prompt).filter(({ votes }) => votes > 0);
    return [progress, ...chosen.map(({ choice, votes }) => `${choice}: ${votes}`)].join(" · ");
  };
}

interface PromptHeadlineProps extends Pick<TextProps, "size" | "fw"> {
  readonly prompt: Prompt;
}

/** A sentence about the state of a prompt, with the time at which it ended or will end. */
export function PromptHeadline({ prompt, ...props }: PromptHeadlineProps) {
  const { t } = useTranslation();
  const describeState = useStateDescription();
  const { state, closedAt, expiresAt } = prompt;
  return (
    <Text {...props} component="div" role="status" className={classes["state"] ?? ""}>
      <PromptBadge state={state} />
      <span dir="auto">{describeState(prompt)}</span>
      {state === "open" ? ` · ${t("prompt.until")} ` : " · "}
      <Timestamp at={closedAt ?? expiresAt} />
    </Text>
  );
}
