import { Alert, Button, Loader, PasswordInput, TextInput } from "@mantine/core";
import { useRef, useState, type FormEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { getErrorField, getErrorMessage } from "../errors.ts";
import classes from "./form.module.css";
import { useAction } from "./use-action.ts";

/** A form field. Its name is the name of the request's field. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "email" | "password";
  /** Autofill field name (HTML Standard, section "Autofill"), for password managers. */
  readonly autoComplete: string;
  readonly hint?: string;
  readonly minLength?: number;
  readonly isOptional?: boolean;
  readonly initialValue?: string;
  /** Whether the field is read-only and shows `initialValue`. */
  readonly isReadOnly?: boolean;
  /** Whether the value has only digits. Phones then show a numeric keyboard. */
  readonly isNumeric?: boolean;
  /** Whether the field gets the focus when the form appears. */
  readonly hasInitialFocus?: true;
}

/** The fields of a form, its button, and the function that sends it. */
export interface FormProps {
  readonly fields: readonly FormField[];
  readonly submitLabel: string;
  /** Colour of the button. Red is for an action that cannot be undone. */
  readonly color?: "red";
  /** Called with a function that returns a value by field name. An error is shown next to the field that it names. */
  readonly onSubmit: (getValue: (name: string) => string) => Promise<void>;
  /** Additional inputs. The page keeps their values. */
  readonly children?: ReactNode;
}

interface FormProblem {
  /** Name of the field; null for the whole form. */
  readonly field: string | null;
  readonly message: string;
}

/** A form that cannot be sent twice at the same time. It shows each error next to its field. */
export function Form({ fields, submitLabel, color, onSubmit, children }: FormProps) {
  const formRef = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<FormProblem | null>(null);
  const showProblem = (error: unknown) => {
    const field = fields.find(({ name }) => name === getErrorField(error))?.name ?? null;
    setProblem({ field, message: getErrorMessage(error) });
    const input = field === null ? null : formRef.current?.elements.namedItem(field);
    if (input instanceof HTMLElement) input.focus();
  };
  const { isRunning, start } = useAction(async () => {
    setProblem(null);
    const values = new FormData(formRef.current ?? undefined);
    await onSubmit((name) => toText(values.get(name)));
  }, showProblem);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start();
  };
  return (
    <form ref={formRef} className={classes["form"]} onSubmit={submit}>
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
        {submitLabel}
      </Button>
    </form>
  );
}

/** Returns a string value. A form without files has only strings. */
function toText(value: FormDataEntryValue | null): string {
  return typeof value === "string" ? value : "";
}

function FormInput({ field, error }: { readonly field: FormField; readonly error: string | null }) {
  const {
    name,
    label,
    type,
    autoComplete,
    hint,
    minLength,
    isOptional = false,
    initialValue,
  } = field;
  const { isNumeric = false, hasInitialFocus = false, isReadOnly = false } = field;
  const { t } = useTranslation();
  const sharedProps = {
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
    ...(initialValue === undefined ? {} : { defaultValue: initialValue }),
    ...(isReadOnly ? { readOnly: true } : {}),
    ...(isNumeric ? { inputMode: "numeric" as const } : {}),
    // Dialogs set the focus themselves and use `data-autofocus`.
    ...(hasInitialFocus ? { autoFocus: true, "data-autofocus": true } : {}),
  } as const;
  return type === "password" ? (
    <PasswordInput
      {...sharedProps}
      // Mantine sets it only on the wrapper of the input.
      aria-invalid={error !== null}
      visibilityToggleButtonProps={{ "aria-label": t("page.showPassword") }}
    />
  ) : (
    <TextInput {...sharedProps} type={type} />
  );
}
