import { AppError } from "#errors.ts";
import { createFieldReader, isObject, type FieldSource } from "../read-fields.ts";

/** A message in the format of Gotify's API. */
export interface GotifyMessage {
  readonly message: string;
  /** "" if it has no title. */
  readonly title: string;
  /** Null if it has no priority. */
  readonly priority: number | null;
  readonly extras: Readonly<Record<string, unknown>> | null;
}

/**
 * Returns the message in a body of JSON, a form or a multipart form, or in the query. Throws `invalid_json` and
 * `invalid_field`.
 */
export async function readMessage(source: FieldSource): Promise<GotifyMessage> {
  const read = await createFieldReader(source);
  const message = toText(read("message"), "message");
  // Gotify's own text.
  if (message === "") throw invalidMessageField("message", "is required");
  const extras = read("extras");
  return {
    message,
    title: toText(read("title"), "title"),
    priority: toPriority(read("priority")),
    extras: isObject(extras) ? extras : null,
  };
}

function toText(value: unknown, name: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  throw invalidMessageField(name, "must be a text");
}

/** Returns a whole number, which forms and queries write as text. */
function toPriority(value: unknown): number | null {
  if (value === undefined || value === null || value === "") return null;
  const isDigits = typeof value === "string" && /^\s*[-+]?\d+\s*$/.test(value);
  const priority = isDigits ? Number(value) : value;
  if (typeof priority === "number" && Number.isSafeInteger(priority)) return priority;
  throw invalidMessageField("priority", "must be a whole number");
}

function invalidMessageField(field: string, problem: string): AppError {
  return new AppError("invalid_field", `Field '${field}' ${problem}`, { field });
}
