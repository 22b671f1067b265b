import { CONTENT_FIELDS, type NotificationContent } from "@tocsin/sdk";
import type { Field } from "./places.ts";

/** Content of a notification as a person writes it; an empty text is left out. */
export type Wording = {
  readonly [Name in Field]: NotificationContent[Name] extends boolean ? boolean : string;
};

const NAMES = Object.keys(CONTENT_FIELDS) as readonly Field[]; // Its keys.

/** A wording of which nothing is written. */
export const EMPTY_WORDING = Object.fromEntries(
  NAMES.map((name) => [name, CONTENT_FIELDS[name].kind === "flag" ? false : ""]),
) as unknown as Wording; // Made of every field.

/** Returns a notification's content as a person would have written it. */
export function wordingOf(content: NotificationContent): Wording {
  return Object.fromEntries(
    NAMES.map((name) => [name, content[name] ?? EMPTY_WORDING[name]]),
  ) as unknown as Wording; // Made of every field.
}

/** Returns title and body, and the other fields that are given, in the order of the documentation. */
export function givenIn(wording: Wording): readonly (readonly [Field, string | true])[] {
  return NAMES.flatMap((name) => {
    const value = wording[name];
    if (value === false) return [];
    const isRequired = CONTENT_FIELDS[name].kind === "text";
    return value === "" && !isRequired ? [] : [[name, value] as const];
  });
}
