import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { hasPrompt, type PromptDraft } from "./prompt-draft.ts";
import classes from "./send-page.module.css";

const PromptInputs = lazy(async () => ({
  default: (await import("./prompt-inputs.tsx")).PromptInputs,
}));

/** The request fields whose errors are shown beside the inputs of the prompt. */
export const PROMPT_FIELDS: ReadonlySet<string> = new Set([
  "choices",
  "allowText",
  "answersNeeded",
  "expireAfter",
]);

interface PromptDisclosureProps {
  readonly prompt: PromptDraft;
  /** Whether one of the fields has an error, which must be visible. */
  readonly hasError: boolean;
  readonly onChange: (changes: Partial<PromptDraft>) => void;
  readonly getError: (field: string) => string | null;
}

/** The inputs of a prompt, loaded when they open. They start open for a draft that already has a prompt. */
export function PromptDisclosure({ prompt, hasError, onChange, getError }: PromptDisclosureProps) {
  const { t } = useTranslation();
  const [isExpanded, setIsExpanded] = useState(() => hasPrompt(prompt));
  const isOpen = isExpanded || hasError;
  return (
    <details
      className={classes["more"]}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => setIsExpanded(open)}
    >
      <summary>{t("send.ask.title")}</summary>
      {isOpen && (
        <div className={classes["fields"]}>
          <Suspense>
            <PromptInputs prompt={prompt} onChange={onChange} getError={getError} />
          </Suspense>
        </div>
      )}
    </details>
  );
}
