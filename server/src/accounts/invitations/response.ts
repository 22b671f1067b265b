import type { SignUpInvitation as SignUpInvitationResponse } from "@tocsin/sdk";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { SignUpInvitation } from "./store.ts";

/** Converts an invitation to the form that administrators see. */
export function toSignUpInvitationResponse({
  id,
  email,
  createdAt,
  expiresAt,
}: SignUpInvitation): SignUpInvitationResponse {
  return {
    id,
    email,
    createdAt: formatTimestamp(createdAt),
    expiresAt: formatTimestamp(expiresAt),
  };
}
