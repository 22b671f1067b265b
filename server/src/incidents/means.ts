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
 * Returns the means by which a signed-in person acts: the console by a session, the command line and other programs by
 * an access token. The command line names itself. Any program may do so: the means is for those who read a history, and
 * grants nothing.
 */
export function getMeans({ hasSession, userAgent }: PersonalOrigin): ActMeans {
  if (hasSession) return "console";
  return COMMAND_LINE_PATTERN.test(userAgent ?? "") ? "command_line" : "api";
}
