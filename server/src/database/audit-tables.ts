import type { AuditAction, AuditActorKind } from "@tocsin/sdk";

/** Something that somebody did; its row is written with it, and but for its address never changed. */
export interface AuditEventTable {
  id: string;
  created_at: number;
  action: AuditAction;
  actor_kind: AuditActorKind;
  actor_account_id: string | null;
  /** The session, access token or API key. */
  actor_credential_id: string | null;
  /** The account that it was done to. */
  account_id: string | null;
  team_id: string | null;
  subject_id: string | null;
  /** JSON of `{name, before, after}`. */
  changes: string;
  /** Browser and system. */
  user_agent: string | null;
  /** The network address, and what its hash was made with: both are forgotten before the event is. */
  address: string | null;
  address_salt: string | null;
  /** SHA-256, hexadecimal. */
  address_hash: string | null;
}

/** What the events of a day were when it was over. */
export interface AuditSealTable {
  /** Days since the epoch, in UTC. */
  day: number;
  event_count: number;
  /** SHA-256, hexadecimal, of the digest of the day before and of the day's events. */
  digest: string;
  sealed_at: number;
}
