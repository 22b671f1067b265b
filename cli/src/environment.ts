import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { usageError } from "./command.ts";

/** The environment variables of the command line. The server's settings are separate. */
export const VARIABLES = {
  TOCSIN_URL: "the server; http://localhost:8080 when not set",
  TOCSIN_API_KEY: "API key for send, ask and incident",
  TOCSIN_API_KEY_FILE: "a file that holds it",
  TOCSIN_ACCESS_TOKEN: "access token, used instead of a login",
  TOCSIN_ACCESS_TOKEN_FILE: "a file that holds it",
  XDG_CONFIG_HOME: "login.json is in tocsin/ below it; ~/.config when not set",
  NO_COLOR: "no colours, whatever the value",
} as const;

/** Returns whether colours are allowed: by the convention of no-color.org, any value but an empty one disables them. */
export function isColourAllowed(): boolean {
  return !process.env["NO_COLOR"];
}

/** Returns the URL in TOCSIN_URL, or null. */
export function readServerUrl(): string | null {
  return readVariable("TOCSIN_URL");
}

/**
 * Returns the key in TOCSIN_API_KEY, or in the file that TOCSIN_API_KEY_FILE names; null if neither is set. Ignores a
 * `.env` in the working folder: one from another author could send the key to another server.
 */
export function readApiKey(): string | null {
  return readSecret("TOCSIN_API_KEY");
}

/**
 * Returns the token in TOCSIN_ACCESS_TOKEN, or in the file that TOCSIN_ACCESS_TOKEN_FILE names; null if neither is set.
 */
export function readAccessToken(): string | null {
  return readSecret("TOCSIN_ACCESS_TOKEN");
}

/** Returns the folder for the login file. Ignores a relative XDG_CONFIG_HOME, as its specification requires. */
export function getConfigFolder(): string {
  const configuredFolder = readVariable("XDG_CONFIG_HOME");
  const parent =
    configuredFolder !== null && isAbsolute(configuredFolder)
      ? configuredFolder
      : join(homedir(), ".config");
  return join(parent, "tocsin");
}

function readSecret(name: "TOCSIN_API_KEY" | "TOCSIN_ACCESS_TOKEN"): string | null {
  const file = readVariable(`${name}_FILE`);
  const secret = readVariable(name);
  if (secret !== null || file === null) return secret;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw usageError(`${name}_FILE names a file that cannot be read.`, error);
  }
}

function readVariable(name: string): string | null {
  const value = process.env[name]?.trim();
  return value === undefined || value === "" ? null : value;
}
