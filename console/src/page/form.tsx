import { Alert, Button, Loader, PasswordInput, TextInput } from "@mantine/core";
import { useRef, useState, type FormEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { fieldOf, messageOf } from "../errors.ts";
import classes from "./form.module.css";
import { useAction } from "./use-action.ts";

/** A form field. Its name is the name of the request's field. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "email" | "password";
  /** Autofill field name (HTML Standard, section "Autofill"), for password managers. */
  readonly autoComplete: string;
  readonly hint?: string;
  readonly minLength?: number;
  readonly isOptional?: boolean;
  readonly initial?: string;
  /** Whether the field is read-only and shows `initial`. */
  readonly isFixed?: boolean;
  /** Whether the value has only digits. Phones then show a numeric keyboard. */
  readonly isNumeric?: boolean;
  /** Whether the field gets the focus when the form appears. */
  readonly isFirst?: true;
}

export interface FormProps {
  readonly fields: readonly Field[];
  readonly submit: string;
  /** Colour of the button. Red is for an action that cannot be undone. */
  readonly color?: "red";
  /** Called with a function that returns a value by field name. An error is shown next to the field that it names. */
  readonly onSubmit: (valueOf: (name: string) => string) => Promise<void>;
  /** Additional inputs. The page keeps their values. */
  readonly children?: ReactNode;
}

interface Problem {
  /** Name of the field; null for the whole form. */
  readonly field: string | null;
  readonly message: string;
}

/** A form that is sent once at a time and shows each error next to its field. */
export function Form({ fields, submit, color, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const showProblem = (error: unknown) => {
    const field = fields.find(({ name }) => name === fieldOf(error))?.name ?? null;
    setProblem({ field, message: messageOf(error) });
    const input = field === null ? null : form.current?.elements.namedItem(field);
    if (input instanceof HTMLElement) input.focus();
  };
  const { isRunning, start } = useAction(async () => {
    setProblem(null);
    const values = new FormData(form.current ?? undefined);
    await onSubmit((name) => textOf(values.get(name)));
  }, showProblem);
  const send = (event: FormEvent) => {
    event.preventDefault();
    start();
  };
  return (
    <form ref={form} className={classes["form"]} onSubmit={send}>
      {fields.map((field) => (
        <FormInput
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

/** Returns a string value. A form without files has only strings. */
function textOf(value: FormDataEntryValue | null): string {
  return typeof value === "string" ? value : "";
}

function FormInput({ field, error }: { readonly field: Field; readonly error: string | null }) {
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
    // Dialogs set the focus themselves and use `data-autofocus`.
    ...(isFirst ? { autoFocus: true, "data-autofocus": true } : {}),
  } as const;
  return type === "password" ? (
    <PasswordInput
      {...shared}
      // Mantine sets it only on the wrapper of the input.
      aria-invalid={error !== null}
      visibilityToggleButtonProps={{ "aria-label": t("page.showPassword") }}
    />
  ) : (
    <TextInput {...shared} type={type} />
  );
}
