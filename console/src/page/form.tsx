import { Alert, Button, Loader, PasswordInput, TextInput } from "@mantine/core";
import { useRef, useState, type FormEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { fieldOf, messageOf } from "../errors.ts";
import classes from "./form.module.css";
import { useAction } from "./use-action.ts";

/** One field of a form, named like the field of the request. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "email" | "password";
  /** For password managers, see the HTML Standard's list of autofill fields. */
  readonly autoComplete: string;
  readonly hint?: string;
  readonly minLength?: number;
  readonly isOptional?: boolean;
  readonly initial?: string;
  /** Shows `initial`, and cannot be changed. */
  readonly isFixed?: boolean;
  /** Digits only: phones show no letters. */
  readonly isNumeric?: boolean;
  /** Takes the focus when the form appears. */
  readonly isFirst?: true;
}

export interface FormProps {
  readonly fields: readonly Field[];
  readonly submit: string;
  /** Colour of the button: red for an action that cannot be undone. */
  readonly color?: "red";
  /** Receives the values by field name; an error is shown beside the field that it names. */
  readonly onSubmit: (valueOf: (name: string) => string) => Promise<void>;
  /** Further inputs, whose values the page keeps itself. */
  readonly children?: ReactNode;
}

interface Problem {
  /** Null for a problem of the whole form. */
  readonly field: string | null;
  readonly message: string;
}

/** A form that is sent once at a time and shows errors beside their fields. */
export function Form({ fields, submit, color, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const show = (error: unknown) => {
    const field = fields.find(({ name }) => name === fieldOf(error))?.name ?? null;
    setProblem({ field, message: messageOf(error) });
    const input = field === null ? null : form.current?.elements.namedItem(field);
    if (input instanceof HTMLElement) input.focus();
  };
  const { isRunning, start } = useAction(async () => {
    setProblem(null);
    const values = new FormData(form.current ?? undefined);
    await onSubmit((name) => textOf(values.get(name)));
  }, show);
  const send = (event: FormEvent) => {
    event.preventDefault();
    start();
  };
  return (
    <form ref={form} className={classes["form"]} onSubmit={send}>
      {fields.map((field) => (
        <Line
          key={field.name}
          field={field}
          error={problem?.field === field.name ? problem.message : null}
        />
      ))}
      {children}
      {problem !== null && problem.field === null && (
        <Alert color="red" role="alert">
          {problem.message}
        </Alert>
      )}
      <Button
        type="submit"
        size="md"
        {...(color === undefined ? {} : { color })}
        aria-disabled={isRunning}
        leftSection={isRunning ? <Loader size={16} color="currentColor" /> : undefined}
      >
        {submit}
      </Button>
    </form>
  );
}

/** A form without files has only strings. */
function textOf(value: FormDataEntryValue | null): string {
  return typeof value === "string" ? value : "";
}

function Line({ field, error }: { readonly field: Field; readonly error: string | null }) {
  const { name, label, type, autoComplete, hint, minLength, isOptional = false, initial } = field;
  const { isNumeric = false, isFirst = false, isFixed = false } = field;
  const { t } = useTranslation();
  const shared = {
    id: name,
    name,
    label,
    autoComplete,
    error,
    size: "md",
    required: !isOptional,
    withAsterisk: false,
    labelProps: { className: classes["label"] },
    ...(hint === undefined ? {} : { description: hint }),
    ...(minLength === undefined ? {} : { minLength }),
    ...(initial === undefined ? {} : { defaultValue: initial }),
    ...(isFixed ? { readOnly: true } : {}),
    ...(isNumeric ? { inputMode: "numeric" as const } : {}),
    // `data-autofocus` is for dialogs, which place the focus themselves.
    ...(isFirst ? { autoFocus: true, "data-autofocus": true } : {}),
  } as const;
  return type === "password" ? (
    <PasswordInput
      {...shared}
      // By itself, only the frame around the input has it.
      aria-invalid={error !== null}
      visibilityToggleButtonProps={{ "aria-label": t("page.showPassword") }}
    />
  ) : (
    <TextInput {...shared} type={type} />
  );
}
