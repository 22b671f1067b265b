import type { Context } from "#context.ts";
import type { LeasedJob, PendingDevice } from "./delivery.ts";
import type { DeliveryStore } from "./store/delivery-store.ts";

/** Smallest step back that is a rollback: a clock is corrected by less on the way. */
const ROLLBACK_MIN_MS = 1_000;
/** Longest wait of a device without an attempt: that of the keyed queue. */
const UNTRIED_WAIT_MAX_MS = 5_000;
/** Waiting jobs made due in one statement. */
const PAGE_MAX = 1_000;
/** Time after which the second pass finds what was being stored, with moments by the old time, during the first. */
const SECOND_PASS_AFTER_MS = 10_000;

/** The latest rollback. */
interface Rollback {
  /** The time that the clock showed afterwards, in milliseconds since the epoch. */
  readonly at: number;
  readonly byMs: number;
}

type Clocks = Pick<Context, "now" | "elapsed">;

/**
 * The wall clock of the delivery room. Every reading notes what it shows, so that one that was ahead only for a moment is
 * noticed as well; the worker's poll asks `makeDisplacedDue`, and what it claims goes through `correct`. Nothing else in the
 * room knows that a clock can be set back: what is not stored is timed by the monotonic clock.
 */
export class ClockRollback {
  readonly #clocks: Clocks;
  #lastAt: number;
  #latest: Rollback | null = null;
  #reconciled: Rollback | null = null;
  /** The passes still to be made, as moments of the monotonic clock. */
  #passes: readonly number[] = [];

  /** `shownBefore` is the time that the clock showed in the process before, in milliseconds since the epoch; null if unknown. */
  constructor(clocks: Clocks, shownBefore: number | null = null) {
    this.#clocks = clocks;
    this.#lastAt = shownBefore ?? Number.NEGATIVE_INFINITY;
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => {
    const at = this.#clocks.now();
    if (at < this.#lastAt - ROLLBACK_MIN_MS) this.#latest = { at, byMs: this.#lastAt - at };
    this.#lastAt = at;
    return at;
  };

  /** Returns whether the clock was set back, and nothing was made due since. */
  isNoticed(): boolean {
    this.now();
    return this.#latest !== this.#reconciled;
  }

  /**
   * Makes everything due that a rollback displaced: leases and waits would last until the old time comes again. Returns when
   * to call again, in milliseconds since the epoch; null if nothing is left to do. A pass that fails, or that `isStopping`
   * ends, is repeated by the next call.
   */
  async makeDisplacedDue(
    { store, log }: Pick<Context, "log"> & { readonly store: DeliveryStore },
    isStopping: () => boolean,
  ): Promise<number | null> {
    const { elapsed } = this.#clocks;
    if (this.isNoticed()) this.#passes = [elapsed(), elapsed() + SECOND_PASS_AFTER_MS];
    this.#reconciled = this.#latest;
    const [next] = this.#passes;
    if (next !== undefined && next <= elapsed()) {
      const leased = await store.endLeasesAhead();
      const waiting = await makeWaitingDue(store, isStopping);
      log.warn({ leased, waiting }, "the clock was set back");
      if (!isStopping()) this.#passes = this.#passes.slice(1);
    }
    const [left] = this.#passes;
    return left === undefined ? null : Math.ceil(this.now() + left - elapsed());
  }

  /**
   * Returns a claimed job with the moments of its devices by the clock as it goes now: a device whose last attempt lies in
   * the future is due, and one that was waiting keeps the delay it was given. Idempotent.
   */
  correct(job: LeasedJob): LeasedJob {
    if (job.work.kind !== "devices") return job;
    const now = this.now();
    const pending = job.work.pending.map((device) => correctDevice(device, now, this.#latest));
    return { ...job, work: { ...job.work, pending } };
  }
}

/** Makes all waiting jobs due, and returns how many: as each is claimed, its devices wait for what is left. */
async function makeWaitingDue(store: DeliveryStore, isStopping: () => boolean): Promise<number> {
  let after = "";
  let waiting = 0;
  for (let count = PAGE_MAX; count === PAGE_MAX && !isStopping();) {
    const page = await store.makeWaitingDue({ after, max: PAGE_MAX });
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
  if (last.at > now + ROLLBACK_MIN_MS) {
    // Else a wait that is prolonged would begin in the future, and be due each time that it is claimed.
    const attempts = [...history.attempts.slice(0, -1), { ...last, at: now }];
    return { ...device, runAt: Math.min(runAt, now), history: { ...history, attempts } };
  }
  if (runAt <= now || rollback === null || last.at >= rollback.at || last.nextAt === null) {
    return device;
  }
  // By the moment named with the attempt, so that other nodes and later passes come to the same.
  return { ...device, runAt: Math.min(runAt, last.nextAt - rollback.byMs) };
}
