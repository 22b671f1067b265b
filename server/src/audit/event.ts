import type { AuditAction, AuditActorKind } from "@tocsin/sdk";

/** The account and credential that caused an event, and the origin of the request. */
export interface Actor {
  readonly kind: AuditActorKind;
  readonly accountId: string | null;
  /** The session, access token, API key or device. */
  readonly credentialId: string | null;
  /** The IP address of the request. */
  readonly address: string | null;
  /** As shortened by `describeUserAgent`. */
  readonly userAgent: string | null;
}

/**
 * A changed value. Values are ids, numbers and words from closed lists, never secrets, email addresses or free text.
 */
export interface ChangedValue {
  readonly name: ChangedValueName;
  readonly before: string | null;
  readonly after: string | null;
}

/** The names of changed values. They are stored, and the API returns them. */
export type ChangedValueName =
  | "addressProof"
  | "code"
  | "escalationPolicyId"
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

/** An event to record, in the commit of the change that it describes. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly actor: Actor;
  /** The affected account; null if there is none. */
  readonly accountId: string | null;
  readonly teamId?: string | null;
  /** The affected key, device, member, invitation, session or other object. */
  readonly subjectId?: string;
  readonly changes?: readonly ChangedValue[];
}

const UNKNOWN_ORIGIN = { accountId: null, credentialId: null, address: null, userAgent: null };

/** The operator, who works on the database from the command line. */
export const OPERATOR: Actor = { kind: "operator", ...UNKNOWN_ORIGIN };

/** The server itself. */
export const SERVER: Actor = { kind: "server", ...UNKNOWN_ORIGIN };

/** Returns the change of a value that was not set before the event. */
export function toChangedValue(name: ChangedValueName, after: string): ChangedValue {
  return { name, before: null, after };
}
