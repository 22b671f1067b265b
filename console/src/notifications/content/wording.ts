import { CONTENT_FIELDS, type NotificationContent } from "@tocsin/sdk";
import type { Field } from "./field-display.ts";

/** The content of a notification in a form. An empty string means that the field is omitted. */
export type Wording = {
  readonly [Name in Field]: NotificationContent[Name] extends boolean ? boolean : string;
};

const FIELD_NAMES = Object.keys(CONTENT_FIELDS) as readonly Field[]; // The keys of CONTENT_FIELDS.

/** A wording with all fields empty. */
export const EMPTY_WORDING = Object.fromEntries(
  FIELD_NAMES.map((name) => [name, CONTENT_FIELDS[name].kind === "flag" ? false : ""]),
) as unknown as Wording; // It has an entry for every field.

/** Returns the wording of a notification's content. */
export function toWording(content: NotificationContent): Wording {
  return Object.fromEntries(
    FIELD_NAMES.map((name) => [name, content[name] ?? EMPTY_WORDING[name]]),
  ) as unknown as Wording; // It has an entry for every field.
}

/** Returns title, body and all other non-empty fields, in the order of the documentation. */
export function filledFields(wording: Wording): readonly (readonly [Field, string | true])[] {
  return FIELD_NAMES.flatMap((name) => {
    const value = wording[name];
    if (value === false) return [];
    const isRequired = CONTENT_FIELDS[name].kind === "text";
    return value === "" && !isRequired ? [] : [[name, value] as const];
  });
}
