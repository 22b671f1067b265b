import {
  LIMITS,
  type EscalationPolicy,
  type EscalationStep,
  type EscalationTarget,
} from "@tocsin/sdk";

/** A step of a policy while it is edited. */
export interface DraftStep {
  /** Identifies the step on the page. */
  readonly id: number;
  /** Null while the field is empty. */
  readonly afterSeconds: number | null;
  /** Targets as `formatTarget` writes them. */
  readonly targets: readonly string[];
}

/** The reason why a step cannot be saved: it must be later than the one before it, or it has no target. */
export type StepProblem = "later" | "noTarget";

/** The delay of a new step after the step before it. */
const NEW_STEP_DELAY_S = 300;

/** Returns the steps of a policy to edit, without targets that no longer exist; one empty step for a new policy. */
export function toDraftSteps(policy: EscalationPolicy | null): readonly DraftStep[] {
  if (policy === null) return [{ id: 0, afterSeconds: 0, targets: [] }];
  return policy.steps.map(({ afterSeconds, targets }, id) => ({
    id,
    afterSeconds,
    targets: targets.filter(({ missing }) => !missing).map(formatTarget),
  }));
}

/** Returns the number of targets of a policy that no longer exist. */
export function countMissingTargets(policy: EscalationPolicy | null): number {
  const targets = policy?.steps.flatMap((step) => step.targets) ?? [];
  return targets.filter(({ missing }) => missing).length;
}

/** Returns the steps with a new step at the end, which has no targets. */
export function addStep(steps: readonly DraftStep[]): readonly DraftStep[] {
  const id = Math.max(...steps.map((step) => step.id)) + 1;
  const lastDelay = steps.at(-1)?.afterSeconds ?? 0;
  const afterSeconds = Math.min(lastDelay + NEW_STEP_DELAY_S, LIMITS.escalationSecondsMax);
  return [...steps, { id, afterSeconds, targets: [] }];
}

/** Returns the problem of each step; null for none. */
export function findStepProblems(steps: readonly DraftStep[]): readonly (StepProblem | null)[] {
  return steps.map(({ afterSeconds, targets }, index) => {
    const previous = steps[index - 1]?.afterSeconds ?? -1;
    if (afterSeconds === null || afterSeconds <= previous) return "later";
    return targets.length === 0 ? "noTarget" : null;
  });
}

/** Returns the steps in the form of a request. Only for steps without a problem, which all have a delay. */
export function toRequestedSteps(steps: readonly DraftStep[]): readonly EscalationStep[] {
  return steps.map(({ afterSeconds, targets }) => ({
    afterSeconds: afterSeconds ?? 0,
    targets: targets.map(parseTarget),
  }));
}

/** Returns a target as the value of an option: its kind, and its id after a colon. */
export function formatTarget(target: EscalationTarget): string {
  switch (target.kind) {
    case "group":
      return `group:${target.groupId}`;
    case "device":
      return `device:${target.deviceId}`;
    case "member":
      return `member:${target.accountId}`;
    case "mail":
      return target.accountId === undefined ? "mail" : `mail:${target.accountId}`;
    case "me":
    case "team":
    case "callback":
      return target.kind;
  }
}

function parseTarget(text: string): EscalationTarget {
  const [kind = "", id = ""] = text.split(":");
  switch (kind) {
    case "group":
      return { kind, groupId: id };
    case "device":
      return { kind, deviceId: id };
    case "member":
      return { kind, accountId: id };
    case "mail":
      return id === "" ? { kind } : { kind, accountId: id };
    case "me":
    case "team":
    case "callback":
      return { kind };
    default:
      throw new Error("Only `formatTarget` writes the values of options.");
  }
}
