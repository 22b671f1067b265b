import type { SignUpInvitation as SignUpInvitationAnswer } from "@tocsin/sdk";
import { timestamp } from "#schema/moment.ts";
import type { SignUpInvitation } from "./store.ts";

/** Returns an invitation as administrators see it. */
export function signUpInvitationAnswer({
  id,
  email,
  createdAt,
  expiresAt,
}: SignUpInvitation): SignUpInvitationAnswer {
  return { id, email, createdAt: timestamp(createdAt), expiresAt: timestamp(expiresAt) };
}
