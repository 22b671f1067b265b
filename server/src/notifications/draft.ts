import type { NotificationContent } from "@tocsin/sdk";
import { parseContent } from "#content/content.ts";
import { AppError, invalidField } from "#errors.ts";

/** The content of a notification as its sender gave it: validated, cleaned, and with every field filled in. */
export type Draft = NotificationContent;

/**
 * Returns the draft that a JSON body holds; throws `invalid_json` where it is no object, and
 * `invalid_field` naming the first field that is wrong.
 */
export function parseBody(body: unknown): Draft {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new AppError("invalid_json", 'Send a JSON object such as {"title":"…","body":"…"}.');
  }
  // Unknown fields are ignored, known ones are checked one by one.
  const fields = body as Readonly<Record<string, unknown>>;
  return parseContent({ fields, flags: "booleans" });
}

/** Returns the draft that the fields of a query hold; throws `invalid_field`, for a repeated parameter too. */
export function parseQuery(query: Readonly<Record<string, unknown>>): Draft {
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) throw invalidField(name, `${name} is given more than once.`);
  }
  return parseContent({ fields: query, flags: "words" });
}
