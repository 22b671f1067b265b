import type { Lease } from "../delivery.ts";
import { LEASE_GUARD_MS } from "../lease.ts";

/** A lease that this process works under; it can be prolonged, and lost. */
export class HeldLease {
  #lease: Lease;
  readonly #lost = new AbortController();

  constructor(lease: Lease) {
    this.#lease = lease;
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** Aborted when the lease is lost, or the process must stop: nothing new is begun after that. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  prolong(until: number): void {
    this.#lease = { ...this.#lease, until };
  }

  lose(): void {
    this.#lost.abort();
  }

  /** True while a request may be begun: it would end before the lease does. */
  mayBegin(now: number): boolean {
    return !this.#lost.signal.aborted && this.#lease.until - now >= LEASE_GUARD_MS;
  }
}
