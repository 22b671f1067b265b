import type { Context } from "#context.ts";
import type { LeasedJob, PendingDevice } from "./delivery.ts";
import type { DeliveryStore } from "./store/delivery-store.ts";

/** Largest step back that is an ordinary correction. A larger one counts as a rollback. */
const CORRECTION_MAX_MS = 1_000;
/** Longest wait before a first attempt. A longer one is taken for the effect of a rollback and ended. */
const UNTRIED_WAIT_MAX_MS = 5_000;
/** Maximum number of waiting jobs that one statement makes due. */
const PAGE_MAX = 1_000;
/** Delay of the second pass, which finds jobs that were stored with times of the old clock during the first pass. */
const SECOND_PASS_AFTER_MS = 10_000;

/** The latest rollback. */
interface Rollback {
  /** The first reading afterwards, in milliseconds since the epoch. */
  readonly at: number;
  readonly stepBackMs: number;
}

type Clocks = Pick<Context, "now" | "elapsed">;

/**
 * The wall clock of the delivery module. It compares each reading with the last one, so it also notices a clock that
 * was ahead only briefly. The worker's poll calls `makeDisplacedJobsDue` and passes claimed jobs through `correctJob`.
 * Only `HeldLease` and `PendingDevices` also deal with a clock that is set back, for running jobs. Everything else that
 * is not stored uses the monotonic clock.
 */
export class ClockRollback {
  readonly #clocks: Clocks;
  #lastAt: number;
  #latestRollback: Rollback | null = null;
  #handledRollback: Rollback | null = null;
  /** The times of the remaining passes, on the monotonic clock. */
  #passTimes: readonly number[] = [];

  /**
   * `previousReadingAt` is the last reading in the previous process, in milliseconds since the epoch; null if unknown.
   */
  constructor(clocks: Clocks, previousReadingAt: number | null = null) {
    this.#clocks = clocks;
    this.#lastAt = previousReadingAt ?? Number.NEGATIVE_INFINITY;
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => {
    const at = this.#clocks.now();
    if (at < this.#lastAt - CORRECTION_MAX_MS)
      this.#latestRollback = { at, stepBackMs: this.#lastAt - at };
    this.#lastAt = at;
    return at;
  };

  /** Reads the clock. Returns whether it was set back since `makeDisplacedJobsDue` last dealt with a rollback. */
  hasUnhandledRollback(): boolean {
    this.now();
    return this.#latestRollback !== this.#handledRollback;
  }

  /**
   * Makes all jobs due that a rollback displaced. Otherwise their leases and waits would last until the clock reaches
   * the old time again. Returns the time of the next call, in milliseconds since the epoch; null if no pass is left. If
   * a pass fails or `isStopping` ends it, the next call repeats it.
   */
  async makeDisplacedJobsDue(
    { store, log }: Pick<Context, "log"> & { readonly store: DeliveryStore },
    isStopping: () => boolean,
  ): Promise<number | null> {
    const { elapsed } = this.#clocks;
    if (this.hasUnhandledRollback())
      this.#passTimes = [elapsed(), elapsed() + SECOND_PASS_AFTER_MS];
    this.#handledRollback = this.#latestRollback;
    const [next] = this.#passTimes;
    if (next !== undefined && next <= elapsed()) {
      const leased = await store.endOverlongLeases();
      const waiting = await makeWaitingJobsDue(store, isStopping);
      log.warn({ leased, waiting }, "the clock was set back");
      if (!isStopping()) this.#passTimes = this.#passTimes.slice(1);
    }
    const [nextPass] = this.#passTimes;
    return nextPass === undefined ? null : Math.ceil(this.now() + nextPass - elapsed());
  }

  /**
   * Returns a claimed job with its retry times corrected for the present clock. A device whose last attempt lies in the
   * future is due immediately. A device that was already waiting keeps its delay. Idempotent.
   */
  correctJob(job: LeasedJob): LeasedJob {
    if (job.work.kind !== "devices") return job;
    const now = this.now();
    const pending = job.work.pending.map((device) =>
      correctDevice(device, now, this.#latestRollback),
    );
    return { ...job, work: { ...job.work, pending } };
  }
}

/**
 * Makes all waiting jobs due and returns their number. When a job is claimed, `correctJob` sets the rest of its wait.
 */
async function makeWaitingJobsDue(
  store: DeliveryStore,
  isStopping: () => boolean,
): Promise<number> {
  let after = "";
  let waiting = 0;
  for (let count = PAGE_MAX; count === PAGE_MAX && !isStopping();) {
    const page = await store.makeWaitingJobsDue({ after, max: PAGE_MAX });
    after = page.lastId;
    count = page.count;
    waiting += count;
  }
  return waiting;
}

function correctDevice(
  device: PendingDevice,
  now: number,
  rollback: Rollback | null,
): PendingDevice {
  const { runAt, history } = device;
  const last = history?.attempts.at(-1);
  if (history === undefined || last === undefined) {
    return runAt > now + UNTRIED_WAIT_MAX_MS ? { ...device, runAt: now } : device;
  }
  if (last.at > now + CORRECTION_MAX_MS) {
    // Otherwise a wait that is extended would begin in the future, and the device would be due at every claim.
    const attempts = [...history.attempts.slice(0, -1), { ...last, at: now }];
    return { ...device, runAt: Math.min(runAt, now), history: { ...history, attempts } };
  }
  if (runAt <= now || rollback === null || last.at >= rollback.at || last.nextAt === null) {
    return device;
  }
  // Counts from the time stored with the attempt, so that other nodes and later passes get the same result.
  return { ...device, runAt: Math.min(runAt, last.nextAt - rollback.stepBackMs) };
}
