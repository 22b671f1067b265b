import type { AuditAction, AuditActorKind } from "@tocsin/sdk";

/** The actor of an event, and the origin of the request. */
export interface Actor {
  readonly kind: AuditActorKind;
  readonly accountId: string | null;
  /** The session, access token or API key. */
  readonly credentialId: string | null;
  /** The network address of the request. */
  readonly address: string | null;
  /** As shortened by `familyOf`. */
  readonly userAgent: string | null;
}

/**
 * A fact that changed. Values are ids, numbers and words of closed lists: never a secret, an address of a person, or
 * free text.
 */
export interface Change {
  readonly name: ChangeName;
  readonly before: string | null;
  readonly after: string | null;
}

export type ChangeName =
  | "addressProof"
  | "code"
  | "expiresAt"
  | "isAdmin"
  | "isTakenBack"
  | "keyId"
  | "method"
  | "postOnly"
  | "provider"
  | "retentionDays"
  | "role"
  | "signUp"
  | "unrecorded";

/** An event to record in the commit of its change. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly by: Actor;
  /** The affected account; null if there is none. */
  readonly accountId: string | null;
  readonly teamId?: string | null;
  /** The other thing affected: a key, a device, a member, an invitation, a session or the like. */
  readonly subjectId?: string;
  readonly changes?: readonly Change[];
}

const NOWHERE = { accountId: null, credentialId: null, address: null, userAgent: null };

/** The operator on the command line, working directly on the database. */
export const OPERATOR: Actor = { kind: "operator", ...NOWHERE };

/** The server itself, by its own rules. */
export const SERVER: Actor = { kind: "server", ...NOWHERE };

/** Returns the change of a fact that had no value before the event. */
export function since(name: ChangeName, after: string): Change {
  return { name, before: null, after };
}
