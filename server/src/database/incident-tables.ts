import type { Priority } from "@tocsin/sdk";

/** The columns that name an audience, as in a notification. */
interface AudienceColumns {
  audience_kind: "account" | "team";
  audience_id: string;
  group_id: string | null;
  device_id: string | null;
}

/** An incident from its first trigger until retention removes it. */
export interface IncidentTable extends AudienceColumns {
  id: string;
  source_kind: "key" | "account";
  /** The first key of the rotation chain, or the account. */
  source_id: string;
  owner_account_id: string;
  owner_team_id: string | null;
  /** SHA-256, hexadecimal, of the incident key, or of the id if there is none. */
  key_hash: string;
  incident_key: string | null;
  state: "triggered" | "acknowledged" | "expired" | "resolved";
  priority: Priority;
  channel: string;
  title: string;
  /** SHA-256, hexadecimal, of the latest text. */
  content_hash: string;
  /** The notification with the latest text. */
  notification_id: string;
  opened_at: number;
  last_trigger_at: number;
  occurrences: number;
  /** Time of the latest push that contained the text. */
  told_at: number;
  /** Time from which the delays of the steps count; null if the incident does not ring. */
  rings_since: number | null;
  expires_at: number | null;
  /** Number of steps reached. */
  step: number;
  /** Number of rounds. */
  round: number;
  repeat_every_ms: number;
  expire_after_ms: number;
  /** JSON of the policy when the incident began to ring. */
  policy: string | null;
  auto_resolve_after_ms: number | null;
  acknowledged_at: number | null;
  acknowledged_via: string | null;
  /** The person who acknowledged; null for a key. */
  acknowledged_by: string | null;
  /** The id of the person's device. */
  acknowledged_on: string | null;
  closed_at: number | null;
  closed_via: string | null;
  closed_by: string | null;
  /** The id of the device of the person who closed the incident. */
  closed_on: string | null;
  callback_url: string | null;
  /** JSON of the question that the incident asks; null if it asks none. */
  question: string | null;
  version: number;
  /** Identifies the change that wrote the row last. Statements of the same transaction depend on this id. */
  change_id: string;
}

/** An entry of an incident's history; never changed. */
export interface IncidentEventTable {
  incident_id: string;
  id: string;
  kind: string;
  at: number;
  account_id: string | null;
  device_id: string | null;
  via: string | null;
  notification_id: string | null;
  /** JSON of facts for programs. */
  detail: string;
}

/** An audience that an incident reached. */
export interface IncidentAudienceTable extends AudienceColumns {
  incident_id: string;
  id: string;
  /** The step that reached the audience, from 1; null if no step did. */
  step: number | null;
  /**
   * `feed`: only the feed has the incident; `told`: the devices get pushes but do not ring; `rung`: the devices ring.
   */
  reach: "feed" | "told" | "rung";
  /** The notification that is the incident's entry in the feed of this audience. */
  feed_notification_id: string | null;
  /** Copied from the incident, for the index of open ones. */
  closed_at: number | null;
}

/** An escalation policy of an account or of a team. Exactly one of the two ids is not null. */
export interface EscalationPolicyTable {
  id: string;
  account_id: string | null;
  team_id: string | null;
  name: string;
  /** The name as `foldCase` returns it, unique among the policies of the owner. */
  folded_name: string;
  /** JSON of an array of `EscalationStep`. */
  steps: string;
  /** Seconds from an acknowledgement until the incident rings again; null for never. */
  remind_after_s: number | null;
  created_at: number;
  updated_at: number;
}
