import { inspect } from "node:util";

/** Stands where a secret would. */
export const CONCEALED = "[concealed]";

/** Returns the object itself; wherever it is logged, printed or made JSON it looks like `shown` from now on. A copy does not. */
export function conceal<T extends object>(value: T, shown: object): T {
  const show = () => shown;
  Object.defineProperty(value, "toJSON", { value: show });
  Object.defineProperty(value, inspect.custom, { value: show });
  return value;
}

/** Returns what a log line shows of an object that is its fields: pino does not ask such a one how it looks. */
export function shownFields(object: Record<string, unknown>): Record<string, unknown> {
  const { toJSON } = object;
  // Only `conceal` gives it to objects that are logged so, and it returns their fields.
  return typeof toJSON === "function" ? (toJSON() as Record<string, unknown>) : object;
}
