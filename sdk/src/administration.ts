import type { PageQuery, Timestamp } from "./page.ts";
import type { PushProviderName } from "./provider.ts";

/** An account as administrators see it. */
export interface ListedAccount {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isEmailVerified: boolean;
  readonly createdAt: Timestamp;
  /** Precise to the day; null if never. */
  readonly lastSeenAt: Timestamp | null;
  readonly suspendedAt: Timestamp | null;
  readonly deviceCount: number;
  readonly teamCount: number;
}

/** The query that selects accounts; `q` searches names and email addresses for words. */
export interface AccountsQuery extends PageQuery {
  readonly q?: string;
}

/** An administrator's change of an account. */
export interface ListedAccountChange {
  readonly isAdmin?: boolean;
  readonly isSuspended?: boolean;
  /** Marks the email address as verified; this cannot be undone. */
  readonly isEmailVerified?: true;
}

/**
 * A team that has the account as its only owner. `heirName` is the name of the member who becomes its owner when
 * the account is deleted; null if the team is deleted too.
 */
export interface HeldTeam {
  readonly id: string;
  readonly name: string;
  readonly heirName: string | null;
}

/** An account with the teams that its deletion would affect. */
export interface AccountDetail extends ListedAccount {
  readonly heldTeams: readonly HeldTeam[];
}

/** An account that has almost reached a limit. */
export interface NearLimit {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly limit: "devices" | "groups" | "keys" | "accessTokens" | "teams";
  readonly used: number;
  readonly most: number;
}

/** A password reset link for the administrator to pass on; only this response contains it. */
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

/** The request that invites a person to the server; without `email`, anyone with the link can use it. */
export interface NewSignUpInvitation {
  readonly email?: string;
}

/** A new invitation; only this response contains `link`. */
export interface CreatedSignUpInvitation extends SignUpInvitation {
  readonly link: string;
  readonly isMailed: boolean;
}

/** All sign-up policies. */
export const SIGN_UP_POLICIES = ["open", "invite", "closed"] as const;

/** A sign-up policy: anyone, only invited people, or no one may create an account. */
export type SignUpPolicy = (typeof SIGN_UP_POLICIES)[number];

/** A setting; `fixedBy` names the environment variable that sets it, if any. */
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

/** The result of one check; `mend` is the remedy for the problem. */
export interface Finding {
  readonly subject: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
  readonly mend: string | null;
}

/** The state of a provider; `held` if one of its push services has a problem, `unused` until the first message. */
export type ProviderState = "working" | "held" | "unused" | "off";

/** A push service that is held, or suspected to fail. */
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

/** A setting of a provider; secrets are never included. */
export interface ProviderSetting {
  readonly name: "keyId" | "teamId" | "topic" | "projectId" | "publicKey" | "subject" | "hosts";
  readonly value: string;
}

/** The settings and the state of a provider. */
export interface ProviderStatus {
  readonly provider: PushProviderName;
  readonly isConfigured: boolean;
  readonly state: ProviderState;
  readonly settings: readonly ProviderSetting[];
  readonly troubles: readonly ProviderTrouble[];
  readonly lastAcceptedAt: Timestamp | null;
  readonly lastFailure: ProviderFailure | null;
  readonly deviceCount: number;
  readonly waitingCount: number;
}

/** The health of the server. */
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

/** The state of outgoing email. */
export interface MailState {
  readonly isConfigured: boolean;
  readonly host: string | null;
  readonly from: string | null;
  /** The number of emails that are still to be sent. */
  readonly owed: number;
  /** The time at which the oldest of them was queued. */
  readonly oldestAt: Timestamp | null;
  /** The time at which the mail server last accepted an email. */
  readonly lastTakenAt: Timestamp | null;
  readonly lastFailure: { readonly reason: string; readonly at: Timestamp } | null;
}

/** The latest backup that the console has started since the server started, and the newest backups on the server's disk. */
export interface BackupStatus {
  /** Instructions for a backup by the operator, one per line; null if the server makes backups itself. */
  readonly advice: string | null;
  readonly state: "none" | "running" | "made" | "failed";
  /** A path on the server. */
  readonly folder: string | null;
  readonly at: Timestamp | null;
  /** The id of the master key, which is not in the backup; null if nothing is sealed. */
  readonly keyId: string | null;
  readonly message: string | null;
  readonly copiedBytes: number;
  readonly totalBytes: number;
  /** Newest first. */
  readonly made: readonly { readonly folder: string; readonly sizeBytes: number }[];
}

/** A complete list, without pages. */
export interface CompleteList<T> {
  readonly items: readonly T[];
}
