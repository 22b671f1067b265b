import { toChangedValue, type Actor, type AuditEvent } from "#audit/event.ts";

/** The method of a sign-in. */
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
  /** The actor in the form that `createUnknownActor` returns. */
  readonly actor: Actor;
}

/** Returns the audit event of a newly opened session. */
export function createSignedInEvent(
  input: SignInProof & { readonly accountId: string; readonly sessionId: string },
): AuditEvent {
  const { method, actor, accountId, sessionId } = input;
  return {
    action: "signed_in",
    actor: { ...actor, kind: "session", accountId, credentialId: sessionId },
    accountId,
    subjectId: sessionId,
    changes: [toChangedValue("method", method)],
  };
}
