import type { PageQuery, Timestamp } from "./page.ts";

/** All actions that the audit log records. */
export const AUDIT_ACTIONS = [
  "account_created",
  "account_deleted",
  "account_role_changed",
  "account_suspended",
  "account_opened",
  "email_changed",
  "email_confirmed",
  "signed_in",
  "sign_in_failed",
  "session_ended",
  "sessions_ended",
  "password_changed",
  "password_reset",
  "reset_link_made",
  "two_factor_turned_on",
  "two_factor_turned_off",
  "backup_codes_renewed",
  "passkey_added",
  "passkey_removed",
  "identity_linked",
  "pairing_made",
  "access_token_made",
  "access_token_revoked",
  "api_key_made",
  "api_key_changed",
  "api_key_rotated",
  "api_key_revoked",
  "api_key_callback_secret_made",
  "device_added",
  "device_removed",
  "device_left",
  "device_action_key_made",
  "app_secret_made",
  "app_secret_revoked",
  "team_made",
  "team_renamed",
  "team_deleted",
  "member_invited",
  "invitation_withdrawn",
  "invitation_declined",
  "member_joined",
  "member_role_changed",
  "member_removed",
  "member_left",
  "escalation_policy_made",
  "escalation_policy_changed",
  "escalation_policy_tested",
  "escalation_policy_removed",
  "sign_up_invitation_made",
  "sign_up_invitation_withdrawn",
  "incident_acknowledged",
  "incident_resolved",
  "incident_passed_on",
  "incident_rung_again",
  "prompt_answered",
  "prompt_cancelled",
  "settings_changed",
  "export_made",
  "backup_made",
  "server_moved",
  "master_key_rewrapped",
] as const;

/** An action in the audit log. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** All kinds of actors. */
export const AUDIT_ACTORS = [
  "session",
  "access_token",
  "api_key",
  "device",
  "link",
  "operator",
  "server",
  "unknown",
] as const;

/**
 * A session, a credential, a device that acts for its owner, a link in an email, an operator on the command line, the
 * server itself, or a caller without a proven identity.
 */
export type AuditActorKind = (typeof AUDIT_ACTORS)[number];

/** The actor of an event. */
export interface AuditActor {
  readonly kind: AuditActorKind;
  readonly accountId: string | null;
  readonly accountName: string | null;
  /** The session, access token, API key or device. */
  readonly credentialId: string | null;
}

/** A value that an event changed, before and after; null if there was none. */
export interface AuditChange {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A recorded event. It contains no secrets and no content, and names objects other than accounts only by id. */
export interface AuditEvent {
  readonly id: string;
  readonly createdAt: Timestamp;
  readonly action: AuditAction;
  readonly actor: AuditActor;
  /** The affected account; null in an account's own list if another account is affected. */
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly teamId: string | null;
  /** The other affected object: a key, device, member, invitation, session or the like. */
  readonly subjectId: string | null;
  readonly changes: readonly AuditChange[];
  /** The IP address of the request; erased after 30 days. */
  readonly address: string | null;
  /** Browser and system, such as `Firefox on Linux`. */
  readonly userAgent: string | null;
}

/** The query that selects events from `since` (inclusive) to `until` (exclusive). */
export interface AuditQuery extends PageQuery {
  readonly action?: AuditAction;
  readonly since?: Timestamp;
  readonly until?: Timestamp;
}

/** A query for events of the whole server; `accountId` selects the events that an account caused or was affected by. */
export interface ServerAuditQuery extends AuditQuery {
  readonly accountId?: string;
}
