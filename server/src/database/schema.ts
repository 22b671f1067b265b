import type {
  DeliveryState,
  Dialect,
  NotificationContent,
  Platform,
  ProviderName,
} from "@tocsin/sdk";
import type {
  AccountTable,
  SessionTable,
  CredentialTable,
  VerificationTable,
  SetupTokenTable,
  AccessTokenTable,
  TwoFactorTable,
  BackupCodeTable,
  PasskeyTable,
  ChallengeTable,
  PairedSessionTable,
  PairingTable,
  SignUpInvitationTable,
} from "./account-tables.ts";
import type { AppSecretTable, ConnectedAppTable, MailboxTable } from "./app-tables.ts";
import type { AuditEventTable, AuditSealTable } from "./audit-tables.ts";
import type { CallbackSecretTable, CallbackTable } from "./callback-tables.ts";
import type {
  ActivityTable,
  ActivityTallyTable,
  DeliveryPageTable,
  IdempotencyTable,
  SendJobTable,
  SendJobWaitTable,
} from "./delivery-tables.ts";
import type {
  EscalationPolicyTable,
  IncidentAudienceTable,
  IncidentEventTable,
  IncidentTable,
} from "./incident-tables.ts";
import type { PromptAnswerTable, PromptTable } from "./prompt-tables.ts";
import type { AlarmMailHourTable, MailMessageTable, MailRefusalTable } from "./mail-tables.ts";
import type {
  NodeTable,
  RateBucketTable,
  SharedSecretTable,
  TryLimitTable,
} from "./node-tables.ts";
import type { TimerTable } from "./timer-tables.ts";

/**
 * The tables as the stores see them. Ids are text that sorts by creation time. Times are milliseconds since the epoch,
 * except in the oldest account tables. A state that a row enters once is a nullable time. Lists are JSON text.
 */
export interface Schema {
  account: AccountTable;
  session: SessionTable;
  credential: CredentialTable;
  verification: VerificationTable;
  setup_token: SetupTokenTable;
  access_token: AccessTokenTable;
  two_factor: TwoFactorTable;
  backup_code: BackupCodeTable;
  passkey: PasskeyTable;
  challenge: ChallengeTable;
  pairing: PairingTable;
  paired_session: PairedSessionTable;
  sign_up_invitation: SignUpInvitationTable;
  node: NodeTable;
  shared_secret: SharedSecretTable;
  rate_bucket: RateBucketTable;
  try_limit: TryLimitTable;
  team: TeamTable;
  team_member: TeamMemberTable;
  invitation: InvitationTable;
  api_key: ApiKeyTable;
  device: DeviceTable;
  left_device: LeftDeviceTable;
  connected_app: ConnectedAppTable;
  app_secret: AppSecretTable;
  mailbox: MailboxTable;
  device_group: DeviceGroupTable;
  device_group_member: DeviceGroupMemberTable;
  escalation_policy: EscalationPolicyTable;
  notification: NotificationTable;
  feed_entry: FeedEntryTable;
  feed_read: FeedReadTable;
  send_job: SendJobTable;
  send_job_wait: SendJobWaitTable;
  delivery_page: DeliveryPageTable;
  activity: ActivityTable;
  activity_tally: ActivityTallyTable;
  idempotency: IdempotencyTable;
  incident: IncidentTable;
  incident_event: IncidentEventTable;
  incident_audience: IncidentAudienceTable;
  prompt: PromptTable;
  prompt_answer: PromptAnswerTable;
  alarm_mail_hour: AlarmMailHourTable;
  mail_message: MailMessageTable;
  mail_refusal: MailRefusalTable;
  callback: CallbackTable;
  callback_secret: CallbackSecretTable;
  setting: SettingTable;
  audit_event: AuditEventTable;
  audit_seal: AuditSealTable;
  timer: TimerTable;
}

interface TeamTable {
  id: string;
  name: string;
  created_at: number;
}

/** One period of an account in a team. A person who left and came back has two. */
interface TeamMemberTable {
  id: string;
  team_id: string;
  account_id: string;
  role: "owner" | "admin" | "member";
  joined_at: number;
  left_at: number | null;
}

interface InvitationTable {
  id: string;
  team_id: string;
  /** Lower case. */
  email: string;
  invited_by: string;
  /** SHA-256, hexadecimal, of the token in the link that the inviter may copy. */
  token_hash: string;
  /** The hash of the token in the email, which also proves ownership of the address. */
  mail_token_hash: string;
  created_at: number;
  expires_at: number;
  mailed_at: number | null;
  accepted_at: number | null;
  declined_at: number | null;
  revoked_at: number | null;
}

interface ApiKeyTable {
  id: string;
  kind: "account" | "team";
  /** The account that owns an account key, or created a team key. */
  account_id: string;
  team_id: string | null;
  label: string | null;
  /** SHA-256, hexadecimal, of the key; of a UUID in lower case. */
  key_hash: string;
  /** The last characters of the key. */
  hint: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
  /** The key that replaced this key in a rotation. */
  replaced_by: string | null;
  /** The first key of the rotation chain; null in the row of the first key itself. */
  first_key_id: string | null;
  /** The time since which GET with this key is refused; null if GET is allowed. */
  post_only_at: number | null;
  /** The escalation policy of emergencies that name no other; null for none. */
  escalation_policy_id: string | null;
  /** The API that the programs of the key speak; null for a UUID, which all paths accept. */
  dialect: Dialect | null;
  /** The channel of sends in APIs that name none; null for the default one. */
  channel: string | null;
}

interface DeviceTable {
  id: string;
  account_id: string;
  name: string;
  platform: Platform;
  provider: ProviderName;
  /** JSON of the provider's address; empty once the device is retired. */
  address: string;
  /** SHA-256, hexadecimal, of the identifying part of the address: token or endpoint. */
  address_hash: string;
  created_at: number;
  /** When the app last registered this address. A "gone" response to an earlier push does not count. */
  registered_at: number;
  paused_at: number | null;
  /** When a push service first reported doubt about the address; cleared by the next acceptance. */
  suspect_at: number | null;
  /** When a push service reported that the address is gone, or the owner removed the device. */
  retired_at: number | null;
  retired_reason: string | null;
  last_state: DeliveryState | null;
  last_state_at: number | null;
  /**
   * The hash of the key with which the device acts for its owner; null if the device has no such key, or is retired.
   */
  action_key_hash: string | null;
  /** When the action key was created. */
  action_key_at: number | null;
}

/** A device that its push service reported as gone, and the notice to its owner. */
interface LeftDeviceTable {
  device_id: string;
  account_id: string;
  left_at: number;
  /** Due time of the notice; during a lease, the end of the lease; null once the owner is notified. */
  run_at: number | null;
  /** The notification with the notice; null before it exists. */
  notification_id: string | null;
}

interface DeviceGroupTable {
  id: string;
  account_id: string;
  name: string;
  created_at: number;
}

interface DeviceGroupMemberTable {
  group_id: string;
  device_id: string;
}

/** The columns of a notification's content: its fields in snake case, flags as 0 or 1. */
export type ContentColumns = {
  -readonly [
    Field in keyof NotificationContent as SnakeCase<Field>
  ]: NotificationContent[Field] extends boolean
    ? number
    : NotificationContent[Field] extends string
      ? string extends NotificationContent[Field]
        ? string
        : // A field with a few values stores null for its default.
          string | null
      : string | null;
};

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

interface NotificationTable extends ContentColumns {
  id: string;
  /** The kind of audience: an account, or every member of a team. The audience determines devices and feed. */
  audience_kind: "account" | "team";
  audience_id: string;
  /** Narrows the audience to one device group of the account. */
  group_id: string | null;
  /** Narrows the audience to one device of the account. */
  device_id: string | null;
  key_id: string | null;
  created_at: number;
  expires_at: number;
  /** Number of targeted devices; null until a bulk notification is expanded. */
  device_count: number | null;
  /** The incident that the notification reports; null for a plain one. */
  incident_id: string | null;
  /** The prompt that the notification asks; null for a plain one. */
  prompt_id: string | null;
  /** The reason for the push of an incident or a prompt; null for a plain one. */
  cause: string | null;
  /** The buttons, whether the answer may be a text, and whether the push is quiet, see `encodeActions`. */
  actions: string | null;
  /** JSON of the parts that only apps of other services can show, at most 8 KiB; null for none. */
  extras: string | null;
}

/** A notification in the feed of an audience. The commit that accepts the notification stores the entry. */
interface FeedEntryTable {
  audience_id: string;
  notification_id: string;
  channel: string;
  created_at: number;
}

/** The marks of one account on a feed entry. A deleted entry counts as read. */
interface FeedReadTable {
  account_id: string;
  notification_id: string;
  read_at: number;
  deleted_at: number | null;
}

/** A setting that an administrator changed in the console. The environment takes precedence. */
interface SettingTable {
  name: string;
  value: string;
  changed_at: number;
}
