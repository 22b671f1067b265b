/** A JSON object with unknown fields. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** Returns the object in a JSON text, or null if the text is anything else. */
export function parseJsonObject(text: string): JsonFields | null {
  try {
    return toJsonObject(JSON.parse(text));
  } catch {
    // The body is plain text, or the HTML of a proxy.
    return null;
  }
}

/** Returns a value as an object with unknown fields, or null if it is not an object. */
export function toJsonObject(value: unknown): JsonFields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** Returns whether a body looks like an HTML page, which comes from a proxy and not from the push service. */
export function isHtml(body: string): boolean {
  return /^\s*</u.test(body);
}
