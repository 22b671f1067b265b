import type { Context } from "#context.ts";
import type { Lease } from "../delivery.ts";
import { LEASE_REMAINING_MIN_MS, LEASE_MS } from "../lease.ts";

/** Largest difference between the ends of a lease on the two clocks that counts as an ordinary correction. */
const DRIFT_MAX_MS = 1_000;

/**
 * A lease of this process, which can be renewed and lost. The stored end is a time on the store's clock. After that
 * time, other nodes may take the job over. In this process, the lease also ends by the monotonic clock, if that comes
 * first.
 */
export class HeldLease {
  readonly #clocks: Pick<Context, "now" | "elapsed">;
  #lease: Lease;
  /** The end on the monotonic clock. */
  #endsAt: number;
  readonly #lost = new AbortController();

  constructor(lease: Lease, clocks: Pick<Context, "now" | "elapsed">) {
    this.#clocks = clocks;
    this.#lease = lease;
    this.#endsAt = this.#toElapsedEnd(lease.until);
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** Aborted when the lease is lost or the process must stop. No attempt begins after that. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** True if other nodes may take the job, or if a change of the clock moved its stored end. */
  get isDisplaced(): boolean {
    const { storedMs, ownMs } = this.#remaining;
    return storedMs <= 0 || Math.abs(storedMs - ownMs) > DRIFT_MAX_MS;
  }

  extend(until: number): void {
    this.#lease = { ...this.#lease, until };
    this.#endsAt = this.#toElapsedEnd(until);
  }

  lose(): void {
    this.#lost.abort();
  }

  /** Returns whether a request may begin, because the request would end before the lease. */
  mayBeginRequest(): boolean {
    const { storedMs, ownMs } = this.#remaining;
    return !this.#lost.signal.aborted && Math.min(storedMs, ownMs) >= LEASE_REMAINING_MIN_MS;
  }

  /** Time until the end, on each clock. */
  get #remaining(): { readonly storedMs: number; readonly ownMs: number } {
    const { now, elapsed } = this.#clocks;
    return { storedMs: this.#lease.until - now(), ownMs: this.#endsAt - elapsed() };
  }

  #toElapsedEnd(until: number): number {
    const { now, elapsed } = this.#clocks;
    return elapsed() + Math.min(until - now(), LEASE_MS);
  }
}
