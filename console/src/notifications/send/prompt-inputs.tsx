import { Select, Switch, Textarea } from "@mantine/core";
import { INTERACTION_LIMITS } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { formatDelay } from "../../incidents/policies/format-delay.ts";
import { NO_PROMPT, parseChoices, type PromptDraft } from "./prompt-draft.ts";

/** The times that a prompt can stay open, in seconds. */
const LIFETIMES_SECONDS = [300, 900, 3_600, 21_600, 86_400];

interface PromptInputsProps {
  readonly prompt: PromptDraft;
  readonly onChange: (changes: Partial<PromptDraft>) => void;
  /** Returns the server's error message for a request field; null if there is none. */
  readonly getError: (field: string) => string | null;
}

/** The inputs of a prompt: its answers, how many people must agree, and how long it is open. */
export function PromptInputs({ prompt, onChange, getError }: PromptInputsProps) {
  const { t } = useTranslation();
  const { choices, allowText, answersNeeded, expireAfter } = prompt;
  const { min, max } = INTERACTION_LIMITS.choices;
  return (
    <>
      <Textarea
        name="choices"
        label={t("send.ask.choices")}
        description={t("send.ask.choicesHint", {
          min,
          max,
          length: INTERACTION_LIMITS.choiceLength,
        })}
        autosize
        minRows={2}
        maxRows={max}
        value={choices}
        error={getError("choices")}
        onChange={({ currentTarget: { value } }) => onChange({ choices: value })}
      />
      <Switch
        name="allowText"
        label={t("send.ask.allowText")}
        description={t("send.ask.allowTextHint")}
        checked={allowText}
        error={getError("allowText")}
        onChange={({ currentTarget: { checked } }) => onChange({ allowText: checked })}
      />
      {parseChoices(choices).length > 0 && (
        <AgreementSelect
          value={answersNeeded}
          error={getError("answersNeeded")}
          onChange={(value) => onChange({ answersNeeded: value })}
        />
      )}
      <Select
        label={t("send.ask.term")}
        description={t("send.ask.termHint")}
        allowDeselect={false}
        data={LIFETIMES_SECONDS.map((seconds) => ({
          value: String(seconds),
          label: formatDelay(seconds),
        }))}
        value={String(expireAfter)}
        error={getError("expireAfter")}
        onChange={(value) => onChange({ expireAfter: Number(value ?? NO_PROMPT.expireAfter) })}
      />
    </>
  );
}

interface AgreementSelectProps {
  readonly value: number;
  readonly error: string | null;
  readonly onChange: (answersNeeded: number) => void;
}

function AgreementSelect({ value, error, onChange }: AgreementSelectProps) {
  const { t } = useTranslation();
  const { min, max } = INTERACTION_LIMITS.answersNeeded;
  const counts = Array.from({ length: max - min + 1 }, (_, index) => min + index);
  return (
    <Select
      label={t("send.ask.answersNeeded")}
      allowDeselect={false}
      data={counts.map((count) => ({
        value: String(count),
        label: t("send.ask.people", { count }),
      }))}
      value={String(value)}
      error={error}
      onChange={(selected) => onChange(Number(selected ?? NO_PROMPT.answersNeeded))}
    />
  );
}
