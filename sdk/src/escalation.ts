import type { Timestamp } from "./page.ts";

/** All kinds of targets of an account's escalation policy. */
export const ACCOUNT_TARGET_KINDS = ["me", "device", "group", "mail", "callback"] as const;

/** All kinds of targets of a team's escalation policy. */
export const TEAM_TARGET_KINDS = ["member", "team", "device", "group", "mail", "callback"] as const;

/** A target of a step of an escalation policy: the devices that it rings, an email, or a callback. */
export type EscalationTarget =
  /** The devices in a group of the account that writes the policy. */
  | { readonly kind: "group"; readonly groupId: string }
  /** A device of the account that writes the policy. */
  | { readonly kind: "device"; readonly deviceId: string }
  /** All devices of the account. */
  | { readonly kind: "me" }
  /** All devices of a member; `accountId` is the member id that `Member` has. */
  | { readonly kind: "member"; readonly accountId: string }
  /** All devices of all members of the team. */
  | { readonly kind: "team" }
  /**
   * An email to the verified address of the account; in a team's policy, to the address of a member, by the member id.
   */
  | { readonly kind: "mail"; readonly accountId?: string }
  /** The callback URL of the send. */
  | { readonly kind: "callback" };

/** A step of an escalation policy. */
export interface EscalationStep {
  /** Seconds from the trigger of the incident; 0 in the first step, and more in each further step. */
  readonly afterSeconds: number;
  readonly targets: readonly EscalationTarget[];
}

/** A target with the devices and people that it would reach now. */
export type ReachedTarget = EscalationTarget & {
  /**
   * The name of the group, device, person or team; null for a callback, a missing target, and the group or device of
   * another member.
   */
  readonly name: string | null;
  /** In a team's policy, the name of the member to whom the group or device belongs; otherwise absent. */
  readonly ownerName?: string;
  /** Whether the group, device or member no longer exists. */
  readonly missing: boolean;
  /** The number of devices that the target would ring now, without paused ones. */
  readonly deviceCount: number;
  /** The number of people that the target would reach now. */
  readonly personCount: number;
  /** Whether the target would reach nobody now. */
  readonly reachesNobody: boolean;
};

/** A step of a stored escalation policy. */
export interface ReachedStep {
  readonly afterSeconds: number;
  readonly targets: readonly ReachedTarget[];
}

/**
 * All reasons why a test leaves out a target: it no longer exists, it has no device that is not paused, or it is an
 * email or a callback, which a test does not use.
 */
export const TEST_OMISSIONS = ["missing", "no_device", "unsupported"] as const;

/** The reason why a test leaves out a target. */
export type TestOmission = (typeof TEST_OMISSIONS)[number];

/** The result of a test of a policy's first step. */
export interface PolicyTest {
  /** The number of devices to which the test is sent. */
  readonly deviceCount: number;
  /** The number of people to whom these devices belong. */
  readonly personCount: number;
  /** The targets of the first step, each with the reason why the test leaves it out; null if it is notified. */
  readonly targets: readonly (ReachedTarget & { readonly omission: TestOmission | null })[];
  /** The result in English. */
  readonly message: string;
}

/** A plan of an account or a team that says whom an emergency rings, and when, until somebody acknowledges it. */
export interface EscalationPolicy {
  readonly id: string;
  /** Null for a policy of the account. */
  readonly teamId: string | null;
  /** Unique among the policies of the owner, in any letter case. */
  readonly name: string;
  readonly steps: readonly ReachedStep[];
  /** Seconds from an acknowledgement until an unresolved incident rings again; null for never. */
  readonly remindAfterSeconds: number | null;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
}

/** The request that creates an escalation policy. */
export interface NewEscalationPolicy {
  /** A team of which the account is an owner or admin; omitted for a policy of the account. */
  readonly teamId?: string;
  readonly name: string;
  readonly steps: readonly EscalationStep[];
  readonly remindAfterSeconds?: number | null;
}

/** The request that changes an escalation policy; absent fields stay unchanged, and `steps` replaces all steps. */
export interface EscalationPolicyChange {
  readonly name?: string;
  readonly steps?: readonly EscalationStep[];
  readonly remindAfterSeconds?: number | null;
}
