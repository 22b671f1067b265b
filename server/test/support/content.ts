import { CONTENT_FIELDS, type ContentField, type NotificationContent } from "@tocsin/sdk";

/** Returns content with a different value in every field. */
export function fullContent(): NotificationContent {
  return Object.fromEntries(
    Object.entries(CONTENT_FIELDS).map(([name, field]) => [name, sampleValue(name, field)]),
  ) as unknown as NotificationContent; // Has every field.
}

function sampleValue(name: string, field: ContentField): string | boolean {
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
