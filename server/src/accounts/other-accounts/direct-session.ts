import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { requireUnpaired } from "../confirmation.ts";

/**
 * Throws `forbidden` unless the administrator's session was opened by signing in. Without this check, a lost token or a
 * paired browser would gain lasting control over the server.
 */
export async function requireDirectSession(
  context: Context,
  { session }: { readonly session: { readonly id: string; readonly openedAt: number } | null },
): Promise<void> {
  if (session === null) {
    throw new AppError("forbidden", "Sign in to do this: an access token is not enough.");
  }
  await requireUnpaired(context, session);
}
