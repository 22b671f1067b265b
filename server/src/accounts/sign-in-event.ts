import type { Actor, AuditEvent } from "#audit/event.ts";
import { since } from "#audit/event.ts";

/** The proof with which a session was opened. */
export type SignInMethod =
  | "password"
  | "code"
  | "passkey"
  | "oidc"
  | "pairing"
  | "sign_up"
  | "new_password";

/** The method of a sign-in, and its origin. */
export interface SignInProof {
  readonly method: SignInMethod;
  /** As `strangerAt` returns it. */
  readonly from: Actor;
}

/** Returns the audit event of a newly opened session. */
export function signedInEvent(
  input: SignInProof & { readonly accountId: string; readonly sessionId: string },
): AuditEvent {
  const { method, from, accountId, sessionId } = input;
  return {
    action: "signed_in",
    actor: { ...from, kind: "session", accountId, credentialId: sessionId },
    accountId,
    subjectId: sessionId,
    changes: [since("method", method)],
  };
}
