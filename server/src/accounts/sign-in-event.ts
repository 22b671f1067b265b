import type { Actor, AuditEvent } from "#audit/event.ts";
import { since } from "#audit/event.ts";

/** The proof by which a session was opened. */
export type SignInMethod =
  | "password"
  | "code"
  | "passkey"
  | "oidc"
  | "pairing"
  | "sign_up"
  | "new_password";

/** The proof of a sign-in, and its origin. */
export interface Entrance {
  readonly method: SignInMethod;
  /** As `strangerAt` returns it. */
  readonly from: Actor;
}

/** Returns the event of a session that is opened. */
export function signedIn(
  input: Entrance & { readonly accountId: string; readonly sessionId: string },
): AuditEvent {
  const { method, from, accountId, sessionId } = input;
  return {
    action: "signed_in",
    by: { ...from, kind: "session", accountId, credentialId: sessionId },
    accountId,
    subjectId: sessionId,
    changes: [since("method", method)],
  };
}
