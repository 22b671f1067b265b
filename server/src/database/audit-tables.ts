import type { AuditAction, AuditActorKind } from "@tocsin/sdk";

/**
 * One audited action. Its row is written in the transaction of the action and never changes, except that its address
 * is erased.
 */
export interface AuditEventTable {
  id: string;
  created_at: number;
  action: AuditAction;
  actor_kind: AuditActorKind;
  actor_account_id: string | null;
  /** The session, access token, API key or device. */
  actor_credential_id: string | null;
  /** The account that the action affected. */
  account_id: string | null;
  team_id: string | null;
  subject_id: string | null;
  /** JSON of `{name, before, after}`. */
  changes: string;
  /** Browser and system. */
  user_agent: string | null;
  /** The IP address, and the salt of its hash. Both are erased before the event is. */
  address: string | null;
  address_salt: string | null;
  /** SHA-256, hexadecimal. */
  address_hash: string | null;
}

/**
 * One link of the audit chain: the digest of a day's events, created after the day ended. Its name and `sealed_at` are
 * older than the word chain; nothing is encrypted.
 */
export interface AuditSealTable {
  /** Days since the epoch, in UTC. */
  day: number;
  event_count: number;
  /** SHA-256, hexadecimal, of the previous day's digest and this day's events. */
  digest: string;
  /** When the digest was created. */
  sealed_at: number;
}
