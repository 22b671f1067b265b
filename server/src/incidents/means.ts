import type { ActMeans } from "@tocsin/sdk";

/** The origin of a request by a signed-in person. */
export interface PersonalOrigin {
  /** False for an access token. */
  readonly hasSession: boolean;
  readonly userAgent: string | undefined;
}

/** The user agent of `tocsin`, with or without its version. */
const COMMAND_LINE_PATTERN = /^tocsin-cli(?:\/|$)/;

/**
 * Returns the means by which a signed-in person acts: `console` with a session, otherwise `command_line` if the program
 * calls itself `tocsin-cli`, or `api`. Any program may use this name: the means grants nothing, and only informs the
 * readers of a history.
 */
export function getMeans({ hasSession, userAgent }: PersonalOrigin): ActMeans {
  if (hasSession) return "console";
  return COMMAND_LINE_PATTERN.test(userAgent ?? "") ? "command_line" : "api";
}
