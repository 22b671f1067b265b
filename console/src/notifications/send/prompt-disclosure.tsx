import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { isAsking, type QuestionDraft } from "./question.ts";
import classes from "./send-page.module.css";

const QuestionFields = lazy(async () => ({
  default: (await import("./question-fields.tsx")).QuestionFields,
}));

/** The request fields whose errors are shown beside the controls of the question. */
export const QUESTION_FIELDS: ReadonlySet<string> = new Set([
  "choices",
  "allowText",
  "answersNeeded",
  "expireAfter",
]);

interface QuestionDisclosureProps {
  readonly question: QuestionDraft;
  /** Whether one of the fields has an error, which must be visible. */
  readonly hasError: boolean;
  readonly onChange: (changes: Partial<QuestionDraft>) => void;
  readonly getError: (field: string) => string | null;
}

/** The fields that ask a question, loaded when they open. They start open for a draft that already asks one. */
export function QuestionDisclosure({
  question,
  hasError,
  onChange,
  getError,
}: QuestionDisclosureProps) {
  const { t } = useTranslation();
  const [isExpanded, setIsExpanded] = useState(() => isAsking(question));
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
            <QuestionFields question={question} onChange={onChange} getError={getError} />
          </Suspense>
        </div>
      )}
    </details>
  );
}
