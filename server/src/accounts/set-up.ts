import type { Context } from "#context.ts";
import { createConsoleLink } from "./console-link.ts";
import { hashToken, newToken } from "#token.ts";
import { replaceSetUpToken } from "./store/accounts.ts";

/**
 * Creates a single-use link for the sign-up of the first administrator, and replaces the previous link. Returns null
 * if the server already has an administrator.
 */
export async function createSetUpLink(context: Context, baseUrl: string): Promise<string | null> {
  const token = newToken();
  const isCreated = await replaceSetUpToken(context, hashToken(token));
  return isCreated ? createConsoleLink(baseUrl, "set-up", token) : null;
}
