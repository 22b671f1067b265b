import { inspect } from "node:util";

/** Placeholder for a secret. */
export const CONCEALED = "[concealed]";

/**
 * Returns the object itself. Wherever it is logged, printed or serialized to JSON, it now looks like `replacement`; a
 * copy of it does not.
 */
export function conceal<T extends object>(value: T, replacement: object): T {
  const show = () => replacement;
  Object.defineProperty(value, "toJSON", { value: show });
  Object.defineProperty(value, inspect.custom, { value: show });
  return value;
}

/** Returns the fields of a log line. pino does not call the `toJSON` of the object that holds them. */
export function shownFields(object: Record<string, unknown>): Record<string, unknown> {
  const { toJSON } = object;
  // Only `conceal` adds `toJSON` to such objects, and it returns their fields.
  return typeof toJSON === "function" ? (toJSON() as Record<string, unknown>) : object;
}
