import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { usageError } from "./command.ts";

/** The variables of the command line itself, beside the settings of the server. */
export const VARIABLES = {
  TOCSIN_URL: "the server; http://localhost:8080 when not set",
  TOCSIN_API_KEY: "API key for send",
  TOCSIN_API_KEY_FILE: "a file that holds it",
  TOCSIN_ACCESS_TOKEN: "access token, used instead of a login",
  TOCSIN_ACCESS_TOKEN_FILE: "a file that holds it",
  XDG_CONFIG_HOME: "login.json is in tocsin/ below it; ~/.config when not set",
  NO_COLOR: "no colours, whatever the value",
} as const;

/** The convention of no-color.org: any text but an empty one turns colours off. */
export function allowsColour(): boolean {
  return !process.env["NO_COLOR"];
}

/** Returns the address in TOCSIN_URL, or null. */
export function urlOfEnvironment(): string | null {
  return textOf("TOCSIN_URL");
}

/**
 * Returns the key in TOCSIN_API_KEY, or in the file that TOCSIN_API_KEY_FILE names; null if neither is set. Ignores a
 * `.env` in the working folder, which could send the key to somebody else's address.
 */
export function apiKeyOfEnvironment(): string | null {
  return secretOf("TOCSIN_API_KEY");
}

/** Returns the token in TOCSIN_ACCESS_TOKEN, or in the file that TOCSIN_ACCESS_TOKEN_FILE names; null if neither is set. */
export function accessTokenOfEnvironment(): string | null {
  return secretOf("TOCSIN_ACCESS_TOKEN");
}

/** Returns the folder of the command line's own files; ignores a relative XDG_CONFIG_HOME, as its specification requires. */
export function configFolder(): string {
  const base = textOf("XDG_CONFIG_HOME");
  const parent = base !== null && isAbsolute(base) ? base : join(homedir(), ".config");
  return join(parent, "tocsin");
}

function secretOf(name: "TOCSIN_API_KEY" | "TOCSIN_ACCESS_TOKEN"): string | null {
  const file = textOf(`${name}_FILE`);
  const secret = textOf(name);
  if (secret !== null || file === null) return secret;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw usageError(`${name}_FILE names a file that cannot be read.`, error);
  }
}

function textOf(name: string): string | null {
  const value = process.env[name]?.trim();
  return value === undefined || value === "" ? null : value;
}
