import { readFileSync } from "node:fs";
import { usageError } from "./command.ts";

/** The color convention of no-color.org: any text but an empty one. */
export function allowsColour(): boolean {
  return !process.env["NO_COLOR"];
}

/** Returns the address in TOCSIN_URL, or null. */
export function urlOfEnvironment(): string | null {
  return textOf("TOCSIN_URL");
}

/**
 * Returns the key in TOCSIN_API_KEY, or in the file that TOCSIN_API_KEY_FILE names; null where neither is set. A `.env` of
 * the working folder is not read: it could send the key to an address of somebody else.
 */
export function apiKeyOfEnvironment(): string | null {
  const file = textOf("TOCSIN_API_KEY_FILE");
  const key = textOf("TOCSIN_API_KEY");
  if (key !== null || file === null) return key;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw usageError("TOCSIN_API_KEY_FILE names a file that cannot be read.", error);
  }
}

function textOf(name: string): string | null {
  const value = process.env[name]?.trim();
  return value === undefined || value === "" ? null : value;
}
