import { createHash } from "node:crypto";

/** Returns the number of an application of Gotify, which is a channel here. */
export function toApplicationId(channel: string): number {
  return toInteger(createHash("sha256").update(channel).digest("hex"));
}

/** Returns the first 48 bits of an id as a number. */
export function toNumericId(id: string): number {
  return toInteger(id.replaceAll("-", ""));
}

/** The number of hexadecimal digits of 48 bits. Every JSON parser reads a number of 48 bits exactly. */
const DIGITS = 12;

function toInteger(digits: string): number {
  return Number.parseInt(digits.slice(0, DIGITS), 16);
}
