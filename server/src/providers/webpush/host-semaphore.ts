import type { ReleasePermit, LimitedRequest, HostLimits } from "./host-limits.ts";

/** A request for a permit, which may have to wait. */
export interface AcquireRequest extends LimitedRequest {
  readonly signal: AbortSignal;
  /** Called if the request must wait for a host without a recent response, so that its caller blocks nothing else. */
  readonly onLongWait: () => void;
}

/** A queued request. */
interface HostWaiter {
  readonly request: AcquireRequest;
  readonly admit: () => void;
}

const WAITERS_MAX = 5_000;
/** The maximum number of queued requests per rule, so that no rule fills the queue. */
const WAITERS_PER_RULE_MAX = 1_000;
/**
 * The maximum number of requests that wait for hosts without a recent response, per account and in total. Others are
 * retried later.
 */
const UNPROVEN_WAITERS_PER_ACCOUNT_MAX = 32;
const UNPROVEN_WAITERS_MAX = 512;

/**
 * Admits requests within the host limits and queues the others. Bulk requests have a separate queue, which is served
 * last.
 */
export class HostSemaphore {
  readonly #limits: HostLimits;
  readonly #queue = new Set<HostWaiter>();
  readonly #bulkQueue = new Set<HostWaiter>();
  readonly #waitersByRule = new RunningCounts();
  /** The number of requests per account that wait for hosts without a recent response. */
  readonly #unprovenWaitersByAccount = new RunningCounts();

  constructor(limits: HostLimits) {
    this.#limits = limits;
  }

  /** Acquires a permit immediately, or returns null. */
  tryAcquire(request: LimitedRequest): ReleasePermit | null {
    return this.#limits.hasCapacity(request) ? this.#acquireNow(request) : null;
  }

  /** Resolves with a permit when the request is admitted, or with null if the signal aborts first or too many wait. */
  async acquire(request: AcquireRequest): Promise<ReleasePermit | null> {
    const { signal, accountId } = request;
    if (signal.aborted) return null;
    const release = this.tryAcquire(request);
    if (release !== null) return release;
    if (!this.#limits.isUnproven(request)) return this.#wait(request);
    const isFull =
      this.#unprovenWaitersByAccount.get(accountId) >= UNPROVEN_WAITERS_PER_ACCOUNT_MAX ||
      this.#unprovenWaitersByAccount.total >= UNPROVEN_WAITERS_MAX;
    if (isFull) return null;
    request.onLongWait();
    return this.#unprovenWaitersByAccount.track(accountId, () => this.#wait(request));
  }

  async #wait(request: AcquireRequest): Promise<ReleasePermit | null> {
    const { rule, isBulk } = request;
    const queue = isBulk ? this.#bulkQueue : this.#queue;
    const isFull =
      queue.size >= WAITERS_MAX || this.#waitersByRule.get(rule.name) >= WAITERS_PER_RULE_MAX;
    if (isFull) return null;
    return this.#waitersByRule.track(rule.name, () => this.#waitInQueue(queue, request));
  }

  async #waitInQueue(
    queue: Set<HostWaiter>,
    request: AcquireRequest,
  ): Promise<ReleasePermit | null> {
    const { signal } = request;
    const { promise, resolve } = Promise.withResolvers<ReleasePermit | null>();
    const waiter: HostWaiter = {
      request,
      admit: () => {
        signal.removeEventListener("abort", onAbort);
        resolve(this.#acquireNow(request));
      },
    };
    const onAbort = (): void => {
      queue.delete(waiter);
      resolve(null);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    queue.add(waiter);
    return promise;
  }

  #acquireNow(request: LimitedRequest): ReleasePermit {
    const release = this.#limits.acquire(request);
    return () => {
      release();
      this.#admitFrom(this.#queue);
      this.#admitFrom(this.#bulkQueue);
    };
  }

  /** Admits queued requests in order, and skips requests whose host, rule or account is at its limit. */
  #admitFrom(queue: Set<HostWaiter>): void {
    for (const waiter of queue) {
      if (this.#limits.isFull) return;
      if (!this.#limits.hasCapacity(waiter.request)) continue;
      queue.delete(waiter);
      waiter.admit();
    }
  }
}

/** Counts running work by name. */
class RunningCounts {
  readonly #counts = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Runs the work and counts it until it ends. */
  async track<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#change(name, 1);
    try {
      return await work();
    } finally {
      this.#change(name, -1);
    }
  }

  #change(name: string, delta: 1 | -1): void {
    const count = this.get(name) + delta;
    this.#total += delta;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}
