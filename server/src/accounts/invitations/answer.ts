import type { SignUpInvitation as SignUpInvitationAnswer } from "@tocsin/sdk";
import { timestamp } from "#schema/moment.ts";
import type { SignUpInvitation } from "./store.ts";

/** Converts an invitation to the form that administrators see. */
export function signUpInvitationAnswer({
  id,
  email,
  createdAt,
  expiresAt,
}: SignUpInvitation): SignUpInvitationAnswer {
  return { id, email, createdAt: timestamp(createdAt), expiresAt: timestamp(expiresAt) };
}
