import type { PageQuery, Timestamp } from "./page.ts";
import type { ProviderName } from "./provider.ts";

/** An account as administrators see it. */
export interface ListedAccount {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isEmailVerified: boolean;
  readonly createdAt: Timestamp;
  /** As exact as a day; null for never. */
  readonly lastSeenAt: Timestamp | null;
  readonly suspendedAt: Timestamp | null;
  readonly deviceCount: number;
  readonly teamCount: number;
}

/** The query of the accounts; `q` finds words in name and address. */
export interface AccountsQuery extends PageQuery {
  readonly q?: string;
}

/** What an administrator changes of an account. */
export interface ListedAccountChange {
  readonly isAdmin?: boolean;
  readonly isSuspended?: boolean;
  /** Confirms the address, for good. */
  readonly isEmailVerified?: true;
}

/** A team whose only owner an account is, and who owns it when the account ends; null where the team ends too. */
export interface HeldTeam {
  readonly id: string;
  readonly name: string;
  readonly heirName: string | null;
}

/** An account, and what its end would take along. */
export interface AccountDetail extends ListedAccount {
  readonly heldTeams: readonly HeldTeam[];
}

/** An account that uses most of what it may have of something. */
export interface NearLimit {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly limit: "devices" | "groups" | "keys" | "accessTokens" | "teams";
  readonly used: number;
  readonly most: number;
}

/** A link with which somebody chooses a new password, to hand over; shown this once. */
export interface ResetLink {
  readonly link: string;
  readonly expiresAt: Timestamp;
}

/** An invitation to the server, to no team. */
export interface SignUpInvitation {
  readonly id: string;
  /** Null if anyone with the link can use it. */
  readonly email: string | null;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp;
}

/** The request that invites a person; without an address, the link is for whoever holds it. */
export interface NewSignUpInvitation {
  readonly email?: string;
}

/** The answer to inviting: `link` is shown this once. */
export interface CreatedSignUpInvitation extends SignUpInvitation {
  readonly link: string;
  readonly isMailed: boolean;
}

/** Every rule of who may make an account. */
export const SIGN_UP_POLICIES = ["open", "invite", "closed"] as const;

/** Who can create an account. */
export type SignUpPolicy = (typeof SIGN_UP_POLICIES)[number];

/** One setting, and the variable of the environment that decides it, if one does. */
export interface Setting<T> {
  readonly value: T;
  readonly fixedBy: string | null;
}

/** What administrators may set while the server runs. */
export interface ServerSettings {
  readonly signUp: Setting<SignUpPolicy>;
  readonly retentionDays: Setting<number>;
}

/** The request that changes settings. */
export interface SettingsChange {
  readonly signUp?: SignUpPolicy;
  readonly retentionDays?: number;
}

/** What was looked at, what was found, and what to do about it. */
export interface Finding {
  readonly subject: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
  readonly mend: string | null;
}

/** How a kind of push service does; `unused` until the first message. */
export type ProviderState = "working" | "held" | "unused" | "off";

/** A push service that is given no messages, or suspected. */
export interface ProviderTrouble {
  readonly service: string;
  readonly cause: "credentials" | "failing" | "throttled";
  readonly since: Timestamp;
  readonly message: string;
}

/** What a push service last said in place of taking a message. */
export interface ProviderFailure {
  readonly service: string;
  readonly code: string;
  readonly message: string;
  readonly at: Timestamp;
}

/** What is set of a provider, without secrets. */
export interface ProviderSetting {
  readonly name: "keyId" | "teamId" | "topic" | "projectId" | "publicKey" | "subject" | "hosts";
  readonly value: string;
}

/** A kind of push service, how it is set up and does. */
export interface ProviderStatus {
  readonly provider: ProviderName;
  readonly isConfigured: boolean;
  readonly state: ProviderState;
  readonly settings: readonly ProviderSetting[];
  readonly troubles: readonly ProviderTrouble[];
  readonly lastAcceptedAt: Timestamp | null;
  readonly lastFailure: ProviderFailure | null;
  readonly deviceCount: number;
  readonly waitingCount: number;
}

/** How the server does; sizes in bytes. */
export interface ServerHealth {
  readonly version: string;
  readonly node: string;
  readonly startedAt: Timestamp;
  /** By the server's clock. */
  readonly now: Timestamp;
  readonly database: {
    readonly engine: string;
    readonly sizeBytes: number;
    readonly step: string;
  };
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number };
  readonly queue: { readonly jobs: number; readonly due: number; readonly oldestDueMs: number };
  readonly mail: MailState;
  readonly loopDelayMs: number;
  readonly baseUrl: string;
  readonly findings: readonly Finding[];
}

/** How mail does. */
export interface MailState {
  readonly isConfigured: boolean;
  readonly host: string | null;
  readonly from: string | null;
  readonly owed: number;
  readonly oldestAt: Timestamp | null;
  readonly lastTakenAt: Timestamp | null;
  readonly lastFailure: { readonly reason: string; readonly at: Timestamp } | null;
}

/** How a backup stands that was begun in the console. */
export interface BackupStatus {
  /** What to do instead, in lines; null where the server makes backups itself. */
  readonly advice: string | null;
  readonly state: "none" | "running" | "made" | "failed";
  /** On the server. */
  readonly folder: string | null;
  readonly at: Timestamp | null;
  /** The id of the master key, which is not in it; null where nothing is sealed. */
  readonly keyId: string | null;
  readonly message: string | null;
  readonly copiedBytes: number;
  readonly totalBytes: number;
  /** Newest first. */
  readonly made: readonly { readonly folder: string; readonly sizeBytes: number }[];
}

/** The answer of a list that has one page. */
export interface WholeList<T> {
  readonly items: readonly T[];
}
