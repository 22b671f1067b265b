import type { HeldLease } from "./held-lease.ts";
import { LEASE_MS, RENEWAL_INTERVAL_MS } from "../lease.ts";
import type { Context } from "#context.ts";
import type { DeliveryStore } from "../store/delivery-store.ts";

/** The limit that a run counts against. Separate limits keep new or quarantined jobs from delaying due ones. */
export type RunKind = "leased" | "claimed" | "quarantined";

interface ActiveRun {
  readonly heldLease: HeldLease;
  /** Slow runs wait for services that do not respond, and have a separate limit. */
  kind: RunKind | "slow";
  /** Start of the run, on the monotonic clock. */
  readonly startedAt: number;
  readonly done: Promise<void>;
}

/** Time after which a run counts as slow. */
export const SLOW_AFTER_MS = 2_000;
/** Maximum number of slow runs, because each keeps a notification in memory. */
const SLOW_MAX = 1_000;
/** Interval of the check for slow runs. */
const CHECK_INTERVAL_MS = 250;

/** The clocks, the log and the renewal of leases. */
export interface RunsDeps extends Pick<Context, "now" | "elapsed" | "log"> {
  readonly store: Pick<DeliveryStore, "renew">;
}

/** The running jobs of this process. Renews the leases of these jobs. */
export class ActiveRuns {
  readonly #deps: RunsDeps;
  readonly #runs = new Map<string, ActiveRun>();
  readonly #counts = { leased: 0, claimed: 0, quarantined: 0, slow: 0 };
  #checkedAt = Number.NEGATIVE_INFINITY;
  #renewal: NodeJS.Timeout | null = null;

  constructor(deps: RunsDeps) {
    this.#deps = deps;
  }

  /** Number of runs of each kind. */
  get counts(): Readonly<Record<RunKind | "slow", number>> {
    return this.#counts;
  }

  /** Begins a run once an earlier run of the same job has ended. The earlier run loses its lease. */
  begin(
    { heldLease, kind }: { readonly heldLease: HeldLease; readonly kind: RunKind },
    work: () => Promise<void>,
  ): void {
    const { jobId } = heldLease.lease;
    // The earlier lease ended before it was renewed. Its run is fenced, and ends before the new one begins.
    const earlier = this.#runs.get(jobId);
    if (earlier !== undefined) {
      earlier.heldLease.lose();
      this.#counts[earlier.kind] -= 1;
    }
    const done = runAfter(earlier?.done, work);
    this.#runs.set(jobId, { heldLease, done, kind, startedAt: this.#deps.elapsed() });
    this.#counts[kind] += 1;
    this.#renewal ??= setInterval(() => void this.renew(), RENEWAL_INTERVAL_MS).unref();
  }

  /** Removes a run, unless another run of the same job has begun. */
  end(heldLease: HeldLease): void {
    const { jobId } = heldLease.lease;
    const run = this.#runs.get(jobId);
    if (run?.heldLease === heldLease) {
      this.#runs.delete(jobId);
      this.#counts[run.kind] -= 1;
    }
    if (this.#runs.size === 0) this.#stopRenewal();
  }

  /** Counts long runs as slow, to make room for others. */
  markSlowRuns(): void {
    const now = this.#deps.elapsed();
    if (now - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = now;
    for (const run of this.#runs.values()) {
      if (this.#counts.slow >= SLOW_MAX) return;
      const isLong = now - run.startedAt >= SLOW_AFTER_MS;
      if (!isLong || (run.kind !== "leased" && run.kind !== "claimed")) continue;
      this.#counts[run.kind] -= 1;
      this.#counts.slow += 1;
      run.kind = "slow";
    }
  }

  /** Renews every lease and notices lost ones. */
  async renew(): Promise<void> {
    await this.#renew([...this.#runs.values()].map((run) => run.heldLease));
  }

  /** Renews the displaced leases. Otherwise this process would claim its own running jobs and send them twice. */
  async renewDisplaced(): Promise<void> {
    const heldLeases = [...this.#runs.values()].map((run) => run.heldLease);
    await this.#renew(heldLeases.filter(({ isDisplaced }) => isDisplaced));
  }

  async #renew(heldLeases: readonly HeldLease[]): Promise<void> {
    if (heldLeases.length === 0) return;
    const { store, now, log } = this.#deps;
    const until = now() + LEASE_MS;
    try {
      const leases = heldLeases.map(({ lease }) => lease);
      const lost = new Set(await store.renew(leases, until));
      for (const heldLease of heldLeases) {
        if (lost.has(heldLease.lease.jobId)) heldLease.lose();
        else heldLease.extend(until);
      }
    } catch (error) {
      // The leases end by themselves. `mayBeginRequest` returns false before that.
      log.warn({ err: error }, "leases cannot be renewed yet");
    }
  }

  /** Loses every lease, which aborts the running attempts. */
  loseAllLeases(): void {
    for (const { heldLease } of this.#runs.values()) heldLease.lose();
  }

  /** Resolves when no job runs. */
  async waitUntilIdle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ done }) => done));
    this.#stopRenewal();
  }

  #stopRenewal(): void {
    if (this.#renewal !== null) clearInterval(this.#renewal);
    this.#renewal = null;
  }
}

async function runAfter(
  earlier: Promise<void> | undefined,
  work: () => Promise<void>,
): Promise<void> {
  await earlier;
  await work();
}
