import { CONTENT_FIELDS, type ContentField, type NotificationContent } from "@tocsin/sdk";
import type { Option } from "../description.ts";

/** A field that has an option. Title and body are positional. */
export type OptionalField = Exclude<keyof NotificationContent, "title" | "body">;

type KebabCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${KebabCase<Rest>}`
  : Name;

type ContentOptions = {
  readonly [Name in OptionalField as KebabCase<Name>]: NotificationContent[Name] extends boolean
    ? Extract<Option, { readonly type: "boolean" }>
    : Extract<Option, { readonly type: "string" }>;
};

/** The fields with an option, in the order of the documentation. */
export const OPTIONAL_FIELDS = Object.keys(CONTENT_FIELDS).filter(
  (name): name is OptionalField => name !== "title" && name !== "body",
);

/** The options of `tocsin send` and `tocsin ask` that set fields of a notification. */
export const CONTENT_OPTIONS = Object.fromEntries(
  OPTIONAL_FIELDS.map((name) => [toOptionName(name), toOption(CONTENT_FIELDS[name])]),
) as unknown as ContentOptions; // The entries cover every optional field.

/** Returns the name of a field's option, such as `time-sensitive`. */
export function toOptionName(field: string): keyof ContentOptions {
  const name = field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return name as keyof ContentOptions; // Callers pass only names of optional fields.
}

function toOption(field: ContentField): Option {
  const { about } = field;
  switch (field.kind) {
    case "flag":
      return { type: "boolean", about };
    case "choice":
      return {
        type: "string",
        value: "NAME",
        about: `such as ${field.values.slice(0, 3).join(", ")}; an unknown name prints the list; ${about}`,
        values: field.values,
      };
    case "level":
      return {
        type: "string",
        value: "LEVEL",
        about: `${field.values.join(", ")}; default ${field.default}; ${about}`,
        values: field.values,
      };
    case "name":
      return {
        type: "string",
        value: "NAME",
        about: `${about}: letters, digits and hyphens; default "${field.default}"`,
      };
    case "url":
      return { type: "string", value: "URL", about };
    case "text":
      return { type: "string", value: "TEXT", about };
  }
}
