import { CONTENT_FIELDS, type ContentField, type NotificationContent } from "@tocsin/sdk";

/** Returns content with a value in every field. Every flag is true, and all other values differ. */
export function createFullContent(): NotificationContent {
  return Object.fromEntries(
    Object.entries(CONTENT_FIELDS).map(([name, field]) => [name, createSampleValue(name, field)]),
  ) as unknown as NotificationContent; // The entries cover every field.
}

function createSampleValue(name: string, field: ContentField): string | boolean {
  switch (field.kind) {
    case "text":
      return `The ${name}`;
    case "choice":
    case "level":
      return field.values.at(-1) ?? "";
    case "name":
      return `the-${name}`;
    case "url":
      return `https://example.org/${name}`;
    case "flag":
      return true;
  }
}
