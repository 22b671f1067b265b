import type { Context } from "#context.ts";
import { secretLink } from "#console-link.ts";
import { hashSecret, newSecret } from "#token.ts";
import { replaceSetUpToken } from "./store.ts";

/**
 * Makes a one-use link, in place of the one before, whose sign-up becomes the administrator; returns null
 * once the server has an administrator.
 */
export async function createSetUpLink(context: Context, baseUrl: string): Promise<string | null> {
  const token = newSecret();
  const isMade = await replaceSetUpToken(context, hashSecret(token));
  return isMade ? secretLink(baseUrl, "set-up", token) : null;
}
