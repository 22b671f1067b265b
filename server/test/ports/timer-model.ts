import type { TimerDraft } from "#timers/store.ts";
import type { TimerKind } from "#timers/timer.ts";

/** The interval of the timers that repeat, all of kind `ring`. */
export const REPEAT_EVERY_MS = 30_000;
/** The number of times that each timer of kind `update` fails before it succeeds. */
export const FAILURE_COUNT = 2;

/** A timer that was set further than this in the future was set before a clock rollback. */
export const ROLLBACK_MIN_MS = 1_000;
/** The delays before the first and the second retry of a timer that fails. */
const RETRY_DELAYS_MS = [5_000, 10_000] as const;

/** A firing of a timer: kind, subject, planned time and lateness. */
export type Firing = readonly [kind: string, subjectId: string, runAt: number, lateMs: number];

interface ModelTimer {
  readonly kind: TimerKind;
  readonly subjectId: string;
  readonly isAbsolute: boolean;
  runAt: number;
  dueAt: number;
  setAt: number;
  failures: number;
}

/** Timers in memory, as the rules of docs/architecture/timers.md describe them. */
export class TimerModel {
  readonly #timers = new Map<string, ModelTimer>();
  readonly firings: Firing[] = [];

  /** Returns the timers in the order of their keys. */
  list(): readonly ModelTimer[] {
    const key = ({ kind, subjectId }: ModelTimer) => `${kind} ${subjectId}`;
    return [...this.#timers.values()].toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  }

  set(draft: Required<TimerDraft>, now: number): void {
    const timer = { ...draft, dueAt: draft.runAt, setAt: now, failures: 0 };
    this.#timers.set(`${draft.kind} ${draft.subjectId}`, timer);
  }

  remove(subjectId: string, kinds: readonly TimerKind[]): void {
    for (const kind of kinds) this.#timers.delete(`${kind} ${subjectId}`);
  }

  /** Corrects the timers that were set before a clock rollback, then fires all due timers. */
  run(now: number): void {
    for (const timer of this.#timers.values()) {
      if (timer.setAt > now + ROLLBACK_MIN_MS) correctAfterRollback(timer, now);
    }
    for (const [key, timer] of this.#timers) {
      if (timer.dueAt <= now) this.#fire(key, timer, now);
    }
  }

  #fire(key: string, timer: ModelTimer, now: number): void {
    const { kind, subjectId, runAt, failures } = timer;
    if (kind === "update" && failures < FAILURE_COUNT) {
      timer.failures += 1;
      timer.dueAt = now + RETRY_DELAYS_MS[failures === 0 ? 0 : 1];
      timer.setAt = now;
      return;
    }
    this.firings.push([kind, subjectId, runAt, now - runAt]);
    if (kind !== "ring") {
      this.#timers.delete(key);
      return;
    }
    while (timer.runAt <= now) timer.runAt += REPEAT_EVERY_MS;
    timer.dueAt = timer.runAt;
    timer.setAt = now;
    timer.failures = 0;
  }
}

function correctAfterRollback(timer: ModelTimer, now: number): void {
  const lengthMs = timer.runAt - timer.setAt;
  timer.setAt = now;
  if (timer.isAbsolute) {
    timer.dueAt = Math.max(timer.runAt, timer.failures === 0 ? timer.runAt : now);
    return;
  }
  timer.runAt = timer.failures === 0 ? now + lengthMs : Math.min(timer.runAt, now);
  timer.dueAt = timer.failures === 0 ? timer.runAt : now;
}
