/** A priority, by its name in the product. */
export type ModelPriority = "low" | "normal" | "high" | "emergency";
/** A kind of timer that an incident can have. */
export type ModelTimerKind = "ring" | "step" | "expire" | "update" | "remind" | "auto_resolve";

/** The kinds, in the order in which timers due at the same time fire. */
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

/** An escalation policy of the model. */
export interface ModelPolicy {
  readonly steps: readonly { readonly afterMs: number; readonly targets: readonly ModelTarget[] }[];
  readonly remindAfterMs: number | null;
}

/** A trigger by the sender of a sequence. */
export interface ModelTrigger {
  readonly key: string;
  readonly text: string;
  readonly priority: ModelPriority;
  readonly policy: ModelPolicy | null;
  readonly autoResolveAfterMs: number | null;
}

/** The interval between rounds. */
export const REPEAT_MS = 60_000;
/** The time after which an emergency stops ringing. */
export const EXPIRE_MS = 600_000;
