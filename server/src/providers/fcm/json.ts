/** Returns the object that a text is the JSON of, or null where it is anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    // Plain text or the HTML of a proxy.
    return null;
  }
}

/** Returns a value as an object of unknown fields, or null where it is none. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** Says whether a body is a page for people: then a proxy spoke, not the service. */
export function isHtml(body: string): boolean {
  return /^\s*</u.test(body);
}
