import type { Server } from "#http/server.ts";

/** The first segments of the paths that a dialect serves, or may serve in a later version. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set([
  "1",
  "account",
  "app",
  "application",
  "client",
  "current",
  "file",
  "gotifyinfo",
  "health",
  "image",
  "info",
  "login",
  "message",
  "ping",
  "plugin",
  "push",
  "register",
  "signup",
  "static",
  "stream",
  "user",
  "v1",
  "version",
]);

/**
 * Returns whether the first segment of a path belongs to our own pages and APIs, or to the fixed paths of a dialect, in any
 * letter case. Such a name cannot be a topic.
 */
export function isReservedName({ ownSegments }: Server, name: string): boolean {
  const folded = name.toLowerCase();
  return ownSegments.has(folded) || FOREIGN_NAMES.has(folded);
}
