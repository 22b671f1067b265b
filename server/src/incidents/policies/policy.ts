import { LIMITS } from "@tocsin/sdk";
import { invalidField } from "#errors.ts";

/** The owner of an escalation policy. */
export type PolicyOwner =
  | { readonly kind: "account"; readonly accountId: string }
  | { readonly kind: "team"; readonly teamId: string };

/** The owners whose policies an account may read and change: itself and the teams that it manages. */
export interface PolicyManager {
  readonly accountId: string;
  readonly teamIds: readonly string[];
}

/** A device group or a device. In a team's policy, `memberId` is the membership of its owner; otherwise it is absent. */
export type OwnedTarget =
  | { readonly kind: "group"; readonly groupId: string; readonly memberId?: string }
  | { readonly kind: "device"; readonly deviceId: string; readonly memberId?: string };

/**
 * A target of a step. An account's policy has the kinds `group`, `device`, `me`, `mail` and `callback`; a team's policy
 * has `group`, `device`, `member`, `team`, `mail` and `callback`.
 */
export type EscalationTarget =
  | OwnedTarget
  /** The account that owns the policy. */
  | { readonly kind: "me" }
  /** One membership: a person who leaves the team and joins it again is not this member any more. */
  | { readonly kind: "member"; readonly memberId: string }
  | { readonly kind: "team" }
  /** The verified address of the account that owns the policy (`memberId` is null), or of a member of the team. */
  | { readonly kind: "mail"; readonly memberId: string | null }
  /** The callback URL of the send. */
  | { readonly kind: "callback" };

/** A step of a policy: `afterSeconds` after the trigger, it also tells its targets. */
export interface EscalationStep {
  readonly afterSeconds: number;
  readonly targets: readonly EscalationTarget[];
}

/** The parts of a policy that its owner chooses. */
export interface PolicyContent {
  readonly name: string;
  readonly steps: readonly EscalationStep[];
  /** Seconds from an acknowledgement until an unresolved incident rings again; null for never. */
  readonly remindAfterSeconds: number | null;
}

/** A stored escalation policy. Times are milliseconds since the epoch. */
export interface EscalationPolicy extends PolicyContent {
  readonly id: string;
  readonly owner: PolicyOwner;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Returns the id of the account or team that owns a policy. */
export function getOwnerId(owner: PolicyOwner): string {
  return owner.kind === "account" ? owner.accountId : owner.teamId;
}

/** Returns a reminder in seconds, or null for none; throws `invalid_field`. */
export function parseReminder(seconds: number | null): number | null {
  if (seconds === null) return null;
  const { remindSecondsMin: min, remindSecondsMax: max } = LIMITS;
  if (!Number.isInteger(seconds) || seconds < min || seconds > max) {
    throw invalidField(
      "remindAfterSeconds",
      `remindAfterSeconds must be a whole number from ${min} to ${max}, or null for no reminder.`,
    );
  }
  return seconds;
}
