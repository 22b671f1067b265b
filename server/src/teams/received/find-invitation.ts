import type { FoundInvitation } from "#accounts/sign-up.ts";
import type { Context } from "#context.ts";
import { isExpired } from "../invitations/invitation.ts";
import { findByToken } from "./store.ts";

/** Returns the good invitation that a token opens, by the token's SHA-256 in hexadecimal; uses nothing up. */
export async function findInvitation(
  context: Context,
  tokenHash: string,
): Promise<FoundInvitation | null> {
  const invitation = await findByToken(context, tokenHash);
  if (invitation === null || isExpired(invitation, context.now())) return null;
  return { email: invitation.email, provesAddress: invitation.isMailed };
}
