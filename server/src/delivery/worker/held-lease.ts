import type { Context } from "#context.ts";
import type { Lease } from "../delivery.ts";
import { LEASE_GUARD_MS, LEASE_MS } from "../lease.ts";

/** Largest difference between the two clocks' views of a lease that a correction on the way explains. */
const APART_MAX_MS = 1_000;

/**
 * A lease that this process works under; it can be prolonged, and lost. Its stored end is by the store's clock, by which
 * others may take it; here it also ends by the monotonic clock: whichever comes first.
 */
export class HeldLease {
  readonly #clocks: Pick<Context, "now" | "elapsed">;
  #lease: Lease;
  /** The end by the monotonic clock. */
  #endsAt: number;
  readonly #lost = new AbortController();

  constructor(lease: Lease, clocks: Pick<Context, "now" | "elapsed">) {
    this.#clocks = clocks;
    this.#lease = lease;
    this.#endsAt = this.#endOf(lease.until);
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** Aborted when the lease is lost, or the process must stop: no attempt begins after that. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** True if others may take the job, or if its stored end is not the one that was meant, because the clock was set. */
  get isDisplaced(): boolean {
    const { stored, own } = this.#left;
    return stored <= 0 || Math.abs(stored - own) > APART_MAX_MS;
  }

  prolong(until: number): void {
    this.#lease = { ...this.#lease, until };
    this.#endsAt = this.#endOf(until);
  }

  lose(): void {
    this.#lost.abort();
  }

  /** Returns whether a request may be begun: it would end before the lease does. */
  mayBegin(): boolean {
    const { stored, own } = this.#left;
    return !this.#lost.signal.aborted && Math.min(stored, own) >= LEASE_GUARD_MS;
  }

  /** Milliseconds until the end, by each clock. */
  get #left(): { readonly stored: number; readonly own: number } {
    const { now, elapsed } = this.#clocks;
    return { stored: this.#lease.until - now(), own: this.#endsAt - elapsed() };
  }

  #endOf(until: number): number {
    const { now, elapsed } = this.#clocks;
    return elapsed() + Math.min(until - now(), LEASE_MS);
  }
}
