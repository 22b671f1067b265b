import { CONTENT_FIELDS, type NotificationContent } from "@tocsin/sdk";
import type { ContentField } from "./field-display.ts";

/** The content of a notification in a form. An empty string means that the field is omitted. */
export type FormContent = {
  readonly [Name in ContentField]: NotificationContent[Name] extends boolean ? boolean : string;
};

// `Object.keys` returns exactly the keys of CONTENT_FIELDS.
const FIELD_NAMES = Object.keys(CONTENT_FIELDS) as readonly ContentField[];

/** Form content with all fields empty. */
export const EMPTY_FORM_CONTENT = Object.fromEntries(
  FIELD_NAMES.map((name) => [name, CONTENT_FIELDS[name].kind === "flag" ? false : ""]),
) as unknown as FormContent; // The object has an entry for every field.

/** Returns a notification's content as form content. */
export function toFormContent(content: NotificationContent): FormContent {
  return Object.fromEntries(
    FIELD_NAMES.map((name) => [name, content[name] ?? EMPTY_FORM_CONTENT[name]]),
  ) as unknown as FormContent; // The object has an entry for every field.
}

/** Returns title, body and all other non-empty fields, in the order of the documentation. */
export function getFilledFields(
  content: FormContent,
): readonly (readonly [ContentField, string | true])[] {
  return FIELD_NAMES.flatMap((name) => {
    const value = content[name];
    if (value === false) return [];
    const isRequired = CONTENT_FIELDS[name].kind === "text";
    return value === "" && !isRequired ? [] : [[name, value] as const];
  });
}
