import { inspect } from "node:util";

/** Placeholder for a secret. */
export const CONCEALED = "[concealed]";

/**
 * Returns the object itself; from now on it looks like `shown` wherever it is logged, printed or made JSON. A copy does
 * not.
 */
export function conceal<T extends object>(value: T, shown: object): T {
  const show = () => shown;
  Object.defineProperty(value, "toJSON", { value: show });
  Object.defineProperty(value, inspect.custom, { value: show });
  return value;
}

/** Returns the fields to log for an object that is a line's fields: pino does not call its `toJSON`. */
export function shownFields(object: Record<string, unknown>): Record<string, unknown> {
  const { toJSON } = object;
  // Only `conceal` adds it to objects that are logged so, and it returns their fields.
  return typeof toJSON === "function" ? (toJSON() as Record<string, unknown>) : object;
}
