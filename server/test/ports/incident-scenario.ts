/** The priorities, by their names in the product. */
export type ModelPriority = "low" | "normal" | "high" | "emergency";
/** The kinds of timers of incidents. */
export type ModelTimerKind = "ring" | "step" | "expire" | "update" | "remind" | "auto_resolve";

/** The kinds of timers, in the order in which those of one moment fire. */
export const MODEL_TIMER_KINDS: readonly ModelTimerKind[] = [
  "ring",
  "step",
  "expire",
  "update",
  "remind",
  "auto_resolve",
];

/** People of a step, with the feed that they share and the endpoints of their devices. */
export interface ModelTarget {
  readonly name: string;
  readonly feed: string;
  /** An endpoint that begins with `bad` accepts nothing. */
  readonly devices: readonly string[];
}

/** An escalation policy. */
export interface ModelPolicy {
  readonly steps: readonly { readonly afterMs: number; readonly targets: readonly ModelTarget[] }[];
  readonly remindAfterMs: number | null;
}

/** A trigger by the only sender. */
export interface ModelTrigger {
  readonly key: string;
  readonly text: string;
  readonly priority: ModelPriority;
  readonly policy: ModelPolicy | null;
  readonly autoResolveAfterMs: number | null;
}

/** The interval of rounds, and the length of the ringing. */
export const REPEAT_MS = 60_000;
export const EXPIRE_MS = 600_000;
