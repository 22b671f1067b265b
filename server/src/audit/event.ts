import type { AuditAction, AuditActorKind } from "@tocsin/sdk";

/** Who does something, and from where. */
export interface Actor {
  readonly kind: AuditActorKind;
  readonly accountId: string | null;
  /** The session, access token or API key. */
  readonly credentialId: string | null;
  /** The network address of the request. */
  readonly address: string | null;
  /** As `familyOf` shortens it. */
  readonly userAgent: string | null;
}

/**
 * A fact that changed. Values are ids, numbers and words of closed lists: never a secret, an address of a person, or
 * what somebody typed.
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

/** Something that is done, to be recorded in the commit that does it. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly by: Actor;
  /** The account that it is done to; null for what is no account's. */
  readonly accountId: string | null;
  readonly teamId?: string | null;
  /** What else it is done to: a key, a device, a member, an invitation, a session or the like. */
  readonly subjectId?: string;
  readonly changes?: readonly Change[];
}

const NOWHERE = { accountId: null, credentialId: null, address: null, userAgent: null };

/** Who works on the command line, straight on the database. */
export const OPERATOR: Actor = { kind: "operator", ...NOWHERE };

/** The server itself, by its own rules. */
export const SERVER: Actor = { kind: "server", ...NOWHERE };

/** Returns the fact that something is so since an event, which was nothing before. */
export function since(name: ChangeName, after: string): Change {
  return { name, before: null, after };
}
