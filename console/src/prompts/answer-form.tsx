import { Button, Loader, Text, Textarea } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { INTERACTION_LIMITS, type Prompt } from "@tocsin/sdk";
import { useId, useRef, type FormEvent, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { getErrorMessage } from "../errors.ts";
import { formatRemaining } from "../notifications/content/format-remaining.ts";
import classes from "./prompt.module.css";
import { countVotes, isSameAnswer, isSendable } from "./prompt-facts.ts";
import { useAnswer, type Answering } from "./use-answer.ts";
import { useAnswerText } from "./use-answer-text.ts";

interface AnswerFormProps {
  readonly prompt: Prompt;
  /** Whether the buttons and the field are large, as on the page of a prompt. */
  readonly isLarge?: true;
  /** Called with the prompt once the server has the answer, or has said that the prompt had ended. */
  readonly onGiven: (prompt: Prompt) => void;
}

/** The ways to answer an open prompt: a button for each choice, and a field for a text. */
export function AnswerForm({ prompt, isLarge, onGiven }: AnswerFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useAnswerText(prompt.id);
  const answering = useAnswer(prompt.id, (given) => {
    if (given.state !== "open") setText("");
    onGiven(given);
  });
  const { problem, retry } = answering;
  const { choices, allowText } = prompt;
  const partProps = { prompt, answering, isLarge: isLarge === true };
  return (
    <div
      role="group"
      aria-label={t("prompt.answer")}
      className={classes["answers"]}
      data-large={isLarge}
    >
      {choices.length > 0 && <Choices {...partProps} />}
      {allowText && <TextAnswer {...partProps} text={text} onChange={setText} />}
      <div role="alert">
        {problem !== null && (
          <div className={classes["problem"]}>
            <Text size="sm" c="red">
              {getErrorMessage(problem)}
            </Text>
            <Button size={isLarge === true ? "md" : "xs"} variant="default" onClick={retry}>
              {t("state.tryAgain")}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

interface AnswerPartProps {
  readonly prompt: Prompt;
  readonly answering: Answering;
  readonly isLarge: boolean;
}

function Choices({ prompt, answering: { pending, give }, isLarge }: AnswerPartProps) {
  const isChangeable = prompt.answersNeeded > 1;
  return (
    <div className={classes["choices"]}>
      {countVotes(prompt).map(({ choice, isOwn }) => {
        const isPending = pending !== null && isSameAnswer(pending, { choice });
        const mark = isOwn ? <IconCheck size={16} aria-hidden /> : undefined;
        return (
          <Button
            key={choice}
            size={isLarge ? "lg" : "xs"}
            variant={isOwn ? "filled" : "light"}
            leftSection={isPending ? <Loader size={14} color="currentColor" /> : mark}
            aria-disabled={pending !== null}
            {...(isChangeable && { "aria-pressed": isOwn })}
            onClick={() => give({ choice })}
          >
            <span dir="auto">{choice}</span>
          </Button>
        );
      })}
    </div>
  );
}

interface TextAnswerProps extends AnswerPartProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

const { answerTextLength: LENGTH_MAX } = INTERACTION_LIMITS;

function TextAnswer({ prompt, answering, isLarge, text, onChange }: TextAnswerProps) {
  const { t } = useTranslation();
  const id = useId();
  const inputRef = useRef<HTMLTextAreaElement>(null);
  const { pending, give } = answering;
  const remaining = formatRemaining(text, LENGTH_MAX);
  const canSend = isSendable(text, LENGTH_MAX);
  const submit = () => {
    if (canSend) give({ text });
    else inputRef.current?.focus();
  };
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  const handleKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, nativeEvent } = event;
    // Enter also confirms a character that is being composed.
    if (key !== "Enter" || shiftKey || nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form className={classes["text"]} onSubmit={handleSubmit}>
      <Textarea
        ref={inputRef}
        id={id}
        className={classes["field"] ?? ""}
        size={isLarge ? "md" : "xs"}
        {...(isLarge ? { label: t("prompt.text") } : { "aria-label": t("prompt.text") })}
        placeholder={t("prompt.textPlaceholder")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        description={canSend ? remaining : null}
        error={text.trim() === "" || canSend ? null : remaining}
        autosize
        minRows={1}
        maxRows={isLarge ? 8 : 4}
        enterKeyHint="send"
        value={text}
        onChange={({ currentTarget: { value } }) => onChange(value)}
        onKeyDown={handleKeyDown}
        // A finger that selects text must not swipe the row away.
        onPointerDown={(event) => event.stopPropagation()}
      />
      <Button
        type="submit"
        size={isLarge ? "md" : "xs"}
        variant={prompt.choices.length > 0 ? "light" : "filled"}
        aria-disabled={!canSend || pending !== null}
        leftSection={
          pending?.text === undefined ? undefined : <Loader size={14} color="currentColor" />
        }
      >
        {t("prompt.send")}
      </Button>
    </form>
  );
}
