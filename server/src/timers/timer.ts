/** The reason for a timer. The room that sets timers of a kind also registers their handler. */
export type TimerKind =
  | "ring"
  | "step"
  | "expire"
  | "update"
  | "remind"
  | "auto_resolve"
  | "prompt_expire"
  | "mail_summary"
  | "release"
  | "scheduled"
  | "beat";

/** A stored time at which a room has something to do for a subject. Times are in milliseconds since the epoch. */
export interface Timer {
  readonly id: string;
  readonly kind: TimerKind;
  /** The id of the row that the timer is for. A subject has at most one timer of a kind. */
  readonly subjectId: string;
  /** The planned time, which a failure does not change. */
  readonly runAt: number;
  /** The time at which the timer was last set, moved or attempted. */
  readonly setAt: number;
  /** True if `runAt` is a date, such as the end of quiet hours. False if it is a duration after `setAt`. */
  readonly isAbsolute: boolean;
  /** Failed attempts since the timer was set or moved. */
  readonly failures: number;
}

/** A timer whose time has come. */
export interface DueTimer {
  readonly timer: Timer;
  /** Milliseconds since `runAt`, including the waits after failures. */
  readonly lateMs: number;
}

/** Handles a due timer. If the promise rejects, or the timer stays as it was, another attempt follows later. */
export type TimerHandler = (due: DueTimer) => Promise<void>;

/**
 * Returns the next time of a timer that repeats every `everyMs` milliseconds, in milliseconds since the epoch. Counts
 * from the planned time, so that lateness does not add up, and skips times that have passed. If the planned
 * time is ahead again after a change of the clock, counts from now.
 */
export function planNext({ timer: { runAt } }: DueTimer, everyMs: number, now: number): number {
  if (runAt > now) return now + everyMs;
  const missedCount = Math.floor((now - runAt) / everyMs);
  return runAt + (missedCount + 1) * everyMs;
}

const RETRY_DELAY_MIN_MS = 5_000;
const RETRY_DELAY_MAX_MS = 5 * 60_000;

/**
 * Returns the delay until the next attempt, in milliseconds. `failures` is the number of failed attempts before this
 * one.
 */
export function getRetryDelayMs(failures: number): number {
  return Math.min(RETRY_DELAY_MIN_MS * 2 ** failures, RETRY_DELAY_MAX_MS);
}
