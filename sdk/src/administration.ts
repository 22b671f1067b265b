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
  /** To the day; null for never. */
  readonly lastSeenAt: Timestamp | null;
  readonly suspendedAt: Timestamp | null;
  readonly deviceCount: number;
  readonly teamCount: number;
}

/** The query of the accounts; `q` finds words in name and address. */
export interface AccountsQuery extends PageQuery {
  readonly q?: string;
}

/** An administrator's change of an account. */
export interface ListedAccountChange {
  readonly isAdmin?: boolean;
  readonly isSuspended?: boolean;
  /** Confirms the address, permanently. */
  readonly isEmailVerified?: true;
}

/** A team whose only owner is an account, with the member who owns it when the account ends; null if the team ends too. */
export interface HeldTeam {
  readonly id: string;
  readonly name: string;
  readonly heirName: string | null;
}

/** An account, with what deleting it would also affect. */
export interface AccountDetail extends ListedAccount {
  readonly heldTeams: readonly HeldTeam[];
}

/** An account that uses most of a limit. */
export interface NearLimit {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly limit: "devices" | "groups" | "keys" | "accessTokens" | "teams";
  readonly used: number;
  readonly most: number;
}

/** A link with which its holder sets a new password, to hand over; shown only now. */
export interface ResetLink {
  readonly link: string;
  readonly expiresAt: Timestamp;
}

/** An invitation to the server, without a team. */
export interface SignUpInvitation {
  readonly id: string;
  /** Null if anyone with the link can use it. */
  readonly email: string | null;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp;
}

/** The request that invites a person; without an address, anyone with the link can use it. */
export interface NewSignUpInvitation {
  readonly email?: string;
}

/** The answer to inviting: `link` is shown only now. */
export interface CreatedSignUpInvitation extends SignUpInvitation {
  readonly link: string;
  readonly isMailed: boolean;
}

/** All sign-up policies. */
export const SIGN_UP_POLICIES = ["open", "invite", "closed"] as const;

/** A sign-up policy: everybody, invited people only, or nobody may create an account. */
export type SignUpPolicy = (typeof SIGN_UP_POLICIES)[number];

/** A setting, and the environment variable that decides it, if any. */
export interface Setting<T> {
  readonly value: T;
  readonly fixedBy: string | null;
}

/** The settings that administrators may change while the server runs. */
export interface ServerSettings {
  readonly signUp: Setting<SignUpPolicy>;
  readonly retentionDays: Setting<number>;
}

/** The request that changes settings. */
export interface SettingsChange {
  readonly signUp?: SignUpPolicy;
  readonly retentionDays?: number;
}

/** The subject of a check, its result, and the remedy. */
export interface Finding {
  readonly subject: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
  readonly mend: string | null;
}

/** The state of a kind of push service; `unused` until the first message. */
export type ProviderState = "working" | "held" | "unused" | "off";

/** A push service that is held, or suspected. */
export interface ProviderTrouble {
  readonly service: string;
  readonly cause: "credentials" | "failing" | "throttled";
  readonly since: Timestamp;
  readonly message: string;
}

/** The last failure reported by a push service. */
export interface ProviderFailure {
  readonly service: string;
  readonly code: string;
  readonly message: string;
  readonly at: Timestamp;
}

/** A setting of a provider, without secrets. */
export interface ProviderSetting {
  readonly name: "keyId" | "teamId" | "topic" | "projectId" | "publicKey" | "subject" | "hosts";
  readonly value: string;
}

/** The settings and the state of a kind of push service. */
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

/** The server's health; sizes in bytes. */
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

/** The state of mail. */
export interface MailState {
  readonly isConfigured: boolean;
  readonly host: string | null;
  readonly from: string | null;
  readonly owed: number;
  readonly oldestAt: Timestamp | null;
  readonly lastTakenAt: Timestamp | null;
  readonly lastFailure: { readonly reason: string; readonly at: Timestamp } | null;
}

/** The state of a backup started in the console. */
export interface BackupStatus {
  /** Instructions to show instead, in lines; null if the server makes backups itself. */
  readonly advice: string | null;
  readonly state: "none" | "running" | "made" | "failed";
  /** On the server. */
  readonly folder: string | null;
  readonly at: Timestamp | null;
  /** The id of the master key, which is not in it; null if nothing is sealed. */
  readonly keyId: string | null;
  readonly message: string | null;
  readonly copiedBytes: number;
  readonly totalBytes: number;
  /** Newest first. */
  readonly made: readonly { readonly folder: string; readonly sizeBytes: number }[];
}

/** The answer of a list without pages. */
export interface WholeList<T> {
  readonly items: readonly T[];
}
