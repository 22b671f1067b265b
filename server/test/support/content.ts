import { CONTENT_FIELDS, type ContentField, type NotificationContent } from "@tocsin/sdk";

/** Returns a content of which every field is given, each with a value of its own. */
export function fullContent(): NotificationContent {
  return Object.fromEntries(
    Object.entries(CONTENT_FIELDS).map(([name, field]) => [name, valueOf(name, field)]),
  ) as unknown as NotificationContent; // Made of every field.
}

function valueOf(name: string, field: ContentField): string | boolean {
  switch (field.kind) {
    case "text":
      return `The ${name}`;
    case "choice":
      return field.values.at(-1) ?? "";
    case "name":
      return `the-${name}`;
    case "url":
      return `https://example.org/${name}`;
    case "flag":
      return true;
  }
}
