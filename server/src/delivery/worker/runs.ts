import type { HeldLease } from "./held-lease.ts";
import { LEASE_MS, RENEW_EVERY_MS } from "../lease.ts";
import type { Context } from "#context.ts";
import type { DeliveryStore } from "../store/delivery-store.ts";

/** The limit that a run counts against: neither new jobs in great number nor those in quarantine delay due ones. */
export type Kind = "leased" | "claimed" | "quarantined";

interface ActiveRun {
  readonly held: HeldLease;
  /** Slow runs wait for services that do not answer, and count under a limit of their own. */
  kind: Kind | "slow";
  /** By the monotonic clock. */
  readonly begunAt: number;
  readonly done: Promise<void>;
}

/** Time after which a run is slow, … */
export const SLOW_AFTER_MS = 2_000;
/** … up to this many: each holds a notification. */
const SLOW_MAX = 1_000;
/** Interval at which slow runs are looked for. */
const LOOK_EVERY_MS = 250;

export interface RunsDeps extends Pick<Context, "now" | "elapsed" | "log"> {
  readonly store: Pick<DeliveryStore, "renew">;
}

/** The jobs under way in this process, whose leases it renews. */
export class Runs {
  readonly #deps: RunsDeps;
  readonly #runs = new Map<string, ActiveRun>();
  readonly #counts = { leased: 0, claimed: 0, quarantined: 0, slow: 0 };
  #lookedAt = Number.NEGATIVE_INFINITY;
  #renewal: NodeJS.Timeout | null = null;

  constructor(deps: RunsDeps) {
    this.#deps = deps;
  }

  /** Number of runs of each kind. */
  get counts(): Readonly<Record<Kind | "slow", number>> {
    return this.#counts;
  }

  /** Begins a run after the earlier one of the same job, whose lease is lost by that. */
  begin(
    { held, kind }: { readonly held: HeldLease; readonly kind: Kind },
    work: () => Promise<void>,
  ): void {
    const { jobId } = held.lease;
    // Its lease ended before it was renewed: the run under it is fenced, and ends before the next begins.
    const before = this.#runs.get(jobId);
    if (before !== undefined) {
      before.held.lose();
      this.#counts[before.kind] -= 1;
    }
    const done = runAfter(before?.done, work);
    this.#runs.set(jobId, { held, done, kind, begunAt: this.#deps.elapsed() });
    this.#counts[kind] += 1;
    this.#renewal ??= setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();
  }

  /** Removes a run, unless another one of the same job has begun since. */
  end(held: HeldLease): void {
    const { jobId } = held.lease;
    const run = this.#runs.get(jobId);
    if (run?.held === held) {
      this.#runs.delete(jobId);
      this.#counts[run.kind] -= 1;
    }
    if (this.#runs.size === 0) this.#stopRenewal();
  }

  /** Counts the runs that take long as slow, so that there is room for others. */
  setSlowAside(): void {
    const now = this.#deps.elapsed();
    if (now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    for (const run of this.#runs.values()) {
      if (this.#counts.slow >= SLOW_MAX) return;
      const isLong = now - run.begunAt >= SLOW_AFTER_MS;
      if (!isLong || (run.kind !== "leased" && run.kind !== "claimed")) continue;
      this.#counts[run.kind] -= 1;
      this.#counts.slow += 1;
      run.kind = "slow";
    }
  }

  /** Prolongs every lease, and finds out which were lost. */
  async renew(): Promise<void> {
    await this.#renew([...this.#runs.values()].map((run) => run.held));
  }

  /** Prolongs the displaced leases: else this process would take its own work for that of a dead one, and do it twice. */
  async renewDisplaced(): Promise<void> {
    const held = [...this.#runs.values()].map((run) => run.held);
    await this.#renew(held.filter(({ isDisplaced }) => isDisplaced));
  }

  async #renew(held: readonly HeldLease[]): Promise<void> {
    if (held.length === 0) return;
    const { store, now, log } = this.#deps;
    const until = now() + LEASE_MS;
    try {
      const leases = held.map(({ lease }) => lease);
      const lost = new Set(await store.renew(leases, until));
      for (const item of held) {
        if (lost.has(item.lease.jobId)) item.lose();
        else item.prolong(until);
      }
    } catch (error) {
      // The leases end by themselves, and `mayBegin` stops before that.
      log.warn({ err: error }, "leases cannot be renewed yet");
    }
  }

  /** Loses every lease, which breaks off what is under way. */
  loseAll(): void {
    for (const { held } of this.#runs.values()) held.lose();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ done }) => done));
    this.#stopRenewal();
  }

  #stopRenewal(): void {
    if (this.#renewal !== null) clearInterval(this.#renewal);
    this.#renewal = null;
  }
}

async function runAfter(
  before: Promise<void> | undefined,
  work: () => Promise<void>,
): Promise<void> {
  await before;
  await work();
}
