import { isGiven, type ContentInput } from "#content/readers.ts";
import { invalidField } from "#errors.ts";

/**
 * Returns the text of a field as a clean line; null if it is not given. Throws if it is not a string, or if the line is
 * empty or too long.
 */
export function readText(input: ContentInput, name: string, lengthMax: number): string | null {
  if (!isGiven(input, name)) return null;
  const value = input.fields[name];
  if (typeof value !== "string") throw invalidField(name, `${name} must be a string.`);
  const text = cleanLine(value);
  if (text !== "" && Array.from(text).length <= lengthMax) return text;
  throw invalidField(name, `${name} must have 1 to ${lengthMax} characters.`);
}

/** Returns well-formed text without control characters, including newlines, and without space around it. */
export function cleanLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "")
    .trim();
}

/** The bounds of a whole number, both inclusive. */
export interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

/** Returns the whole number of a field; null if it is not given. Throws if it is not within the range. */
export function readInteger(
  input: ContentInput,
  name: string,
  { min, max }: IntegerRange,
): number | null {
  if (!isGiven(input, name)) return null;
  const value = input.fields[name];
  const isDigits = input.flagFormat === "words" && typeof value === "string" && /^\d+$/.test(value);
  const number = isDigits ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max)
    return number;
  throw invalidField(name, `${name} must be a whole number from ${min} to ${max}.`);
}
