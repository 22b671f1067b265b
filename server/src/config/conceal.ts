import { inspect } from "node:util";

/** The text that replaces a secret in logs and other output. */
export const CONCEALED_VALUE = "[concealed]";

/**
 * Makes an object look like `replacement` wherever it is logged, printed or serialized to JSON, and returns it. A copy
 * of the object still shows its secrets.
 */
export function conceal<T extends object>(value: T, replacement: object): T {
  const getReplacement = () => replacement;
  Object.defineProperty(value, "toJSON", { value: getReplacement });
  Object.defineProperty(value, inspect.custom, { value: getReplacement });
  return value;
}

/** Returns the fields to log of an object, because pino does not call its `toJSON`. */
export function getShownFields(object: Record<string, unknown>): Record<string, unknown> {
  const { toJSON } = object;
  // Only `conceal` adds `toJSON` to such objects, and it returns their fields.
  return typeof toJSON === "function" ? (toJSON() as Record<string, unknown>) : object;
}
