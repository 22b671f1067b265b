import { Semaphore } from "#concurrency/semaphore.ts";
import { WakeableTask } from "#concurrency/wakeable-task.ts";
import type { Context } from "#context.ts";
import { correctDisplacedTimers, readTimerPage, recordFailure } from "./store.ts";
import { getRetryDelayMs, type Timer, type TimerHandler, type TimerKind } from "./timer.ts";

/** Maximum number of timers in one read, and in flight in one process. */
const PAGE_MAX = 64;
/** Maximum number of handlers that run concurrently. */
const HANDLERS_MAX = 16;
/** The longest sleep while a timer is stored, and so the longest time until a change of the clock is noticed. */
const SLEEP_MAX_MS = 30_000;
/** Delay after the database failed. */
const ERROR_DELAY_MS = 1_000;
/** Largest correction of the clock that displaces no timer. */
const CORRECTION_MAX_MS = 1_000;

/** The dependencies of a `TimerWorker`. */
export interface TimerWorkerDeps {
  readonly context: Context;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Tells the other nodes that a timer was set to a time, in milliseconds since the epoch. */
  readonly publishTimerSet: (at: number) => void;
  /** Receives how late each timer is at its first attempt, in milliseconds. */
  readonly observeLateness: (lateMs: number) => void;
}

/**
 * Passes due timers to the handlers of their rooms between `start` and `stop`. Timers have no leases: several processes
 * may run the same timer, and each handler changes the timer and its subject in one transaction, so that only one of
 * them has an effect. While no timer is stored, the worker sets no timeout, and reads only when it is woken.
 */
export class TimerWorker {
  readonly #deps: TimerWorkerDeps;
  readonly #handlers = new Map<TimerKind, TimerHandler>();
  readonly #permits = new Semaphore(HANDLERS_MAX);
  readonly #task = new WakeableTask({
    runDueWork: () => this.#runDueWork(),
    sleepMaxMs: SLEEP_MAX_MS,
  });
  /** The timers in flight, by id. */
  readonly #runs = new Map<string, Promise<void>>();
  /** The `runAt` of timers that were handled since the last read, by id. */
  #handledRunAts = new Map<string, number>();
  /** The time of the next read, in milliseconds since the epoch; infinite during a read, and if none is planned. */
  #nextReadAt = Number.POSITIVE_INFINITY;
  /** The end of the pause after a failure could not be recorded, on the monotonic clock. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  constructor(deps: TimerWorkerDeps) {
    this.#deps = deps;
  }

  /**
   * Registers the handler for timers of a kind. Timers of other kinds stay as they are: a node of a later version has
   * set them.
   */
  register(kind: TimerKind, handler: TimerHandler): void {
    if (this.#handlers.has(kind)) throw new Error(`Timers of kind ${kind} have a handler already.`);
    this.#handlers.set(kind, handler);
    this.wake();
  }

  /** Starts with the timers that are already due. */
  start(): void {
    this.#task.start();
  }

  /** Resolves once no handler runs. Timers whose handler has not begun stay due. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#task.stop();
    await Promise.all(this.#runs.values());
  }

  /**
   * Announces that a timer was set or moved to the time `at`, in milliseconds since the epoch, to this worker and to
   * the other nodes. Called after the commit. Works without `start`, too: a node that answers requests only sets
   * timers.
   */
  wakeAt(at: number): void {
    this.receiveSet(at);
    this.#deps.publishTimerSet(at);
  }

  /** Receives from another node that a timer was set to a time, in milliseconds since the epoch. */
  receiveSet(at: number): void {
    if (at < this.#nextReadAt) this.wake();
  }

  /** Reads the timers again, because another node may have set some. */
  wake(): void {
    this.#task.wake();
  }

  /**
   * Returns the delay until the next read; null if only a new timer or the end of a handler causes one. Never rejects.
   */
  async #runDueWork(): Promise<number | null> {
    const { context } = this.#deps;
    this.#nextReadAt = Number.POSITIVE_INFINITY;
    let waitMs: number | null;
    try {
      waitMs = await this.#beginDueTimers();
    } catch (error) {
      context.log.warn({ err: error }, "due timers cannot be read yet");
      waitMs = ERROR_DELAY_MS;
    }
    if (waitMs !== null) this.#nextReadAt = context.now() + Math.min(waitMs, SLEEP_MAX_MS);
    return waitMs;
  }

  async #beginDueTimers(): Promise<number | null> {
    const { context } = this.#deps;
    if (this.#handlers.size === 0 || this.#runs.size >= PAGE_MAX) return null;
    const pauseMs = this.#pausedUntil - context.elapsed();
    if (pauseMs > 0) return pauseMs;
    const handledRunAts = this.#handledRunAts;
    this.#handledRunAts = new Map();
    // The read may show a timer as it was before its handler ended.
    const idsInFlight = new Set(this.#runs.keys());
    const timers = await this.#readCorrectedTimers();
    const now = context.now();
    const dueTimers = timers.filter(({ id, dueAt }) => dueAt <= now && !idsInFlight.has(id));
    for (const timer of this.#rotate(dueTimers).slice(0, PAGE_MAX - this.#runs.size)) {
      const handler = this.#handlers.get(timer.kind);
      const isUnchanged = handledRunAts.get(timer.id) === timer.runAt;
      if (handler !== undefined) this.#begin(timer, isUnchanged ? refuseUnchanged : handler);
    }
    const nextTimer = timers.find(({ dueAt }) => dueAt > now);
    return nextTimer === undefined ? null : nextTimer.dueAt - now;
  }

  /** Returns the timers that are due first, after displaced timers have been corrected. */
  async #readCorrectedTimers() {
    const { context } = this.#deps;
    const page = { kinds: [...this.#handlers.keys()], max: PAGE_MAX };
    const { timers, lastSetAt } = await readTimerPage(context, page);
    const after = context.now() + CORRECTION_MAX_MS;
    if (lastSetAt === null || lastSetAt <= after) return timers;
    const correctedCount = await correctDisplacedTimers(context, after);
    context.log.warn({ timers: correctedCount }, "timers were corrected: the clock was set back");
    return (await readTimerPage(context, page)).timers;
  }

  /** Returns the items in cyclic order from a random one on, so that two nodes rarely begin with the same item. */
  #rotate<T>(items: readonly T[]): readonly T[] {
    const first = Math.floor(this.#deps.random() * items.length);
    return [...items.slice(first), ...items.slice(0, first)];
  }

  #begin(timer: Timer, handler: TimerHandler): void {
    const run = this.#permits
      .use(() => this.#run(timer, handler))
      .finally(() => {
        this.#runs.delete(timer.id);
        // The handler may have moved the timer, and more timers may be due than were read.
        this.wake();
      });
    this.#runs.set(timer.id, run);
  }

  /** Never rejects. */
  async #run(timer: Timer, handler: TimerHandler): Promise<void> {
    if (this.#isStopping) return;
    const { context, observeLateness } = this.#deps;
    const lateMs = Math.max(0, context.now() - timer.runAt);
    if (timer.failures === 0) observeLateness(lateMs);
    try {
      await handler({ timer, lateMs });
      this.#handledRunAts.set(timer.id, timer.runAt);
    } catch (error) {
      await this.#postpone(timer, error);
    }
  }

  /** Plans the next attempt at a timer. Never rejects. */
  async #postpone(timer: Timer, error: unknown): Promise<void> {
    const { context } = this.#deps;
    const { id: timerId, kind, failures } = timer;
    const delayMs = getRetryDelayMs(failures);
    const level = context.database.engine.isUnavailable(error) ? "warn" : "error";
    const facts = { err: error, timerId, kind, failures: failures + 1, delayMs };
    context.log[level](facts, "a timer failed; it is tried again");
    try {
      await recordFailure(context, timer, context.now() + delayMs);
    } catch (recordError) {
      // The timer is still due. Without a pause, the next read would begin it at once.
      this.#pausedUntil = context.elapsed() + ERROR_DELAY_MS;
      context.log.warn(
        { err: recordError, timerId, kind },
        "the failure of a timer could not be recorded",
      );
    }
  }
}

/** Replaces the handler of a timer that was left due. Without a failure, the timer would be handled forever. */
async function refuseUnchanged(): Promise<void> {
  throw new Error("The handler neither moved nor removed the timer.");
}
