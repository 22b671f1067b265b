import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { refusePaired } from "../confirm.ts";

/**
 * Throws `forbidden` unless the administrator's session was opened by signing in: a lost token, or a paired browser,
 * would otherwise gain power over accounts that outlasts it.
 */
export async function requireOwnSession(
  context: Context,
  { session }: { readonly session: { readonly id: string; readonly openedAt: number } | null },
): Promise<void> {
  if (session === null) {
    throw new AppError("forbidden", "Sign in to do this: an access token is not enough.");
  }
  await refusePaired(context, session);
}
