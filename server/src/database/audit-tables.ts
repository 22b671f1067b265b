import type { AuditAction, AuditActorKind } from "@tocsin/sdk";

/** One audited action; its row is written together with the action and never changes, except that its address is erased. */
export interface AuditEventTable {
  id: string;
  created_at: number;
  action: AuditAction;
  actor_kind: AuditActorKind;
  actor_account_id: string | null;
  /** The session, access token or API key. */
  actor_credential_id: string | null;
  /** The account that the action affected. */
  account_id: string | null;
  team_id: string | null;
  subject_id: string | null;
  /** JSON of `{name, before, after}`. */
  changes: string;
  /** Browser and system. */
  user_agent: string | null;
  /** The network address, and the salt of its hash: both are erased before the event is. */
  address: string | null;
  address_salt: string | null;
  /** SHA-256, hexadecimal. */
  address_hash: string | null;
}

/** One link of the audit chain: the digest of a day's events, made when the day was over. */
export interface AuditSealTable {
  /** Days since the epoch, in UTC. */
  day: number;
  event_count: number;
  /** SHA-256, hexadecimal, of the digest of the day before and of the day's events. */
  digest: string;
  sealed_at: number;
}
