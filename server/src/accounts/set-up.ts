import type { Context } from "#context.ts";
import { consoleLink } from "./console-link.ts";
import { hashToken, newToken } from "#token.ts";
import { replaceSetUpToken } from "./store/accounts.ts";

/**
 * Creates a one-use link, in place of the previous one, whose sign-up becomes the administrator; returns null once the
 * server has an administrator.
 */
export async function createSetUpLink(context: Context, baseUrl: string): Promise<string | null> {
  const token = newToken();
  const isMade = await replaceSetUpToken(context, hashToken(token));
  return isMade ? consoleLink(baseUrl, "set-up", token) : null;
}
