import type { HostRelease, LimitedRequest, HostLimits } from "./host-limits.ts";

export interface AcquireRequest extends LimitedRequest {
  readonly signal: AbortSignal;
  /** Called if the request has to wait for a host without a recent answer, so that its caller holds up nothing else. */
  readonly onAside: () => void;
}

interface HostWaiter {
  readonly request: AcquireRequest;
  readonly admit: () => void;
}

const MAX_WAITING = 5_000;
/** The limit of queued requests of one rule, so that no rule fills the queue. */
const MAX_WAITING_OF_RULE = 1_000;
/** The limits, by account and in all, of requests that wait for hosts without a recent answer; others are retried later. */
const MAX_ASIDE_OF_ACCOUNT = 32;
const MAX_ASIDE = 512;

/** Admits requests within the host limits and queues the others. Bulk requests have a second queue, which is served last. */
export class HostSemaphore {
  readonly #limits: HostLimits;
  readonly #waiting = new Set<HostWaiter>();
  readonly #waitingInBulk = new Set<HostWaiter>();
  readonly #waitingOfRules = new Counts();
  /** The number of requests by account that wait for hosts without a recent answer. */
  readonly #aside = new Counts();

  constructor(limits: HostLimits) {
    this.#limits = limits;
  }

  /** Acquires at once, or returns null. */
  tryAcquire(request: LimitedRequest): HostRelease | null {
    return this.#limits.hasRoom(request) ? this.#take(request) : null;
  }

  /** Resolves when the request is admitted, or with null if the signal fires first or too many wait already. */
  async acquire(request: AcquireRequest): Promise<HostRelease | null> {
    const { signal, accountId } = request;
    if (signal.aborted) return null;
    const release = this.tryAcquire(request);
    if (release !== null) return release;
    if (!this.#limits.isUnproven(request)) return this.#wait(request);
    const isTooMany =
      this.#aside.of(accountId) >= MAX_ASIDE_OF_ACCOUNT || this.#aside.inAll >= MAX_ASIDE;
    if (isTooMany) return null;
    request.onAside();
    return this.#aside.with(accountId, () => this.#wait(request));
  }

  async #wait(request: AcquireRequest): Promise<HostRelease | null> {
    const { rule, isBulk } = request;
    const queue = isBulk ? this.#waitingInBulk : this.#waiting;
    const isTooMany =
      queue.size >= MAX_WAITING || this.#waitingOfRules.of(rule.name) >= MAX_WAITING_OF_RULE;
    if (isTooMany) return null;
    return this.#waitingOfRules.with(rule.name, () => this.#waitInQueue(queue, request));
  }

  async #waitInQueue(queue: Set<HostWaiter>, request: AcquireRequest): Promise<HostRelease | null> {
    const { signal } = request;
    const { promise, resolve } = Promise.withResolvers<HostRelease | null>();
    const waiting: HostWaiter = {
      request,
      admit: () => {
        signal.removeEventListener("abort", giveUp);
        resolve(this.#take(request));
      },
    };
    const giveUp = (): void => {
      queue.delete(waiting);
      resolve(null);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    queue.add(waiting);
    return promise;
  }

  #take(request: LimitedRequest): HostRelease {
    const release = this.#limits.acquire(request);
    return () => {
      release();
      this.#admit(this.#waiting);
      this.#admit(this.#waitingInBulk);
    };
  }

  /** Admits queued requests in order, and passes over those whose host, rule or account is full. */
  #admit(queue: Set<HostWaiter>): void {
    for (const waiting of queue) {
      if (this.#limits.isFull) return;
      if (!this.#limits.hasRoom(waiting.request)) continue;
      queue.delete(waiting);
      waiting.admit();
    }
  }
}

/** Counts work under way, by name. */
class Counts {
  readonly #counts = new Map<string, number>();
  #inAll = 0;

  get inAll(): number {
    return this.#inAll;
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Counts work until it ends. */
  async with<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#change(name, 1);
    try {
      return await work();
    } finally {
      this.#change(name, -1);
    }
  }

  #change(name: string, by: 1 | -1): void {
    const count = this.of(name) + by;
    this.#inAll += by;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}
