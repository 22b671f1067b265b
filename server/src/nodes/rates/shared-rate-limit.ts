import type { Context } from "#context.ts";
import type { Nodes } from "../nodes.ts";
import { addUsage, deleteIdleBuckets } from "./store.ts";

/** The limits over all nodes, and the database through which nodes share their usage. */
export interface SharedRateLimitDeps {
  readonly context: Context;
  readonly nodes: Pick<Nodes, "count">;
  /** The maximum number of requests per second in the long run, over all nodes; 0 disables the limit. */
  readonly perSecond: number;
  /** The number of requests that an idle key may send in one burst, over all nodes. */
  readonly burst: number;
  /** Returns the error for a key that must wait. */
  readonly createRateLimitError: (retryAfterMs: number) => Error;
}

/** Interval at which each node reports the usage of keys: at most one write per second for each key. */
const REPORT_INTERVAL_MS = 1_000;
/** Maximum number of keys in one statement. */
const BATCH_MAX = 1_000;
/** Number of keys in memory above which idle ones are removed. */
const KEYS_MAX = 100_000;
/** Number of reports between two deletions of idle buckets from the database. */
const REPORTS_PER_CLEANUP = 60;
/** Rounding error allowed in sums of fractional requests. */
const ROUNDING_TOLERANCE = 1e-6;

/** Levels are in requests, like those of `LocalRateLimiter`. */
interface SharedBucket {
  /** Usage by all nodes, as last reported. */
  reported: number;
  /** Usage by this node since its last report, unknown to the other nodes. */
  unreported: number;
  /** Time of both values, by the monotonic clock. */
  updatedAt: number;
}

/**
 * Limits how often each key may send, over all nodes together. Each node decides by its own view, and once a second
 * all nodes share their usage. Between two reports a node admits its share of the remaining requests, or one second's
 * worth. If the nodes admit too many together, the excess is a debt that delays later requests.
 */
export class SharedRateLimit {
  readonly #deps: SharedRateLimitDeps;
  readonly #buckets = new Map<string, SharedBucket>();
  #timer: NodeJS.Timeout | null = null;
  #reporting: Promise<void> = Promise.resolve();
  #reports = 0;
  #isStopped = false;

  constructor(deps: SharedRateLimitDeps) {
    this.#deps = deps;
  }

  /**
   * Takes `cost` requests, but at most the burst, from the allowance of `key`. If there are too few, takes nothing and
   * throws the error of `createRateLimitError`, with the wait.
   */
  take(key: string, cost: number): void {
    const { perSecond, burst, context, createRateLimitError } = this.#deps;
    if (perSecond === 0) return;
    const bucket = this.#getBucket(key, context.elapsed());
    const requested = Math.min(cost, burst);
    const excess = bucket.unreported + requested - this.#computeAllowance(bucket, requested);
    if (excess > ROUNDING_TOLERANCE) throw createRateLimitError((excess * 1_000) / perSecond);
    bucket.unreported += requested;
    this.#scheduleReport();
  }

  /** Returns how much of its rate a key may still use, as far as this node knows; null without a limit. */
  describe(key: string) {
    const { perSecond, burst, context } = this.#deps;
    if (perSecond === 0) return null;
    const { reported, unreported } = this.#getBucket(key, context.elapsed());
    const level = reported + unreported;
    const remaining = Math.max(0, Math.floor(burst - level + ROUNDING_TOLERANCE));
    return { burst, remaining, fullInMs: (level * 1_000) / perSecond };
  }

  /** Reports the usage by this node, and reads the usage by all nodes. Never rejects. Runs by itself a second after a request. */
  async report(): Promise<void> {
    // Reports run one after another, so that no usage is reported twice.
    this.#reporting = this.#reporting.then(() => this.#reportAll());
    await this.#reporting;
  }

  /** Reports the remaining usage, and stops. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.report();
  }

  /** Returns how much usage may be unreported: everything that remains if this is the only node. */
  #computeAllowance({ reported, unreported }: SharedBucket, requested: number): number {
    const { perSecond, burst, nodes } = this.#deps;
    const remaining = burst - reported;
    const perReport = (perSecond * REPORT_INTERVAL_MS) / 1_000;
    const share = Math.max(remaining / nodes.count, Math.min(remaining, perReport));
    // A single request may cost more than the share: it is admitted if all other usage is reported.
    return unreported === 0 && requested > share ? remaining : share;
  }

  #getBucket(key: string, at: number): SharedBucket {
    const bucket = this.#buckets.get(key) ?? { reported: 0, unreported: 0, updatedAt: at };
    this.#drain(bucket, at);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > KEYS_MAX) this.#deleteIdleBuckets(at);
    return bucket;
  }

  /** Drains the reported usage first. */
  #drain(bucket: SharedBucket, at: number): void {
    const drained = ((at - bucket.updatedAt) * this.#deps.perSecond) / 1_000;
    bucket.unreported = Math.max(0, bucket.unreported - Math.max(0, drained - bucket.reported));
    bucket.reported = Math.max(0, bucket.reported - drained);
    bucket.updatedAt = at;
  }

  #deleteIdleBuckets(at: number): void {
    for (const [key, bucket] of this.#buckets) {
      this.#drain(bucket, at);
      if (bucket.reported + bucket.unreported === 0) this.#buckets.delete(key);
    }
  }

  /** A single node reports nothing: there is no other node. */
  #scheduleReport(): void {
    if (this.#isStopped || this.#deps.nodes.count === 1) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.report();
    }, REPORT_INTERVAL_MS).unref();
  }

  #listKeysToReport(at: number): readonly string[] {
    const keys: string[] = [];
    for (const [key, bucket] of this.#buckets) {
      this.#drain(bucket, at);
      if (bucket.unreported > 0) keys.push(key);
    }
    return keys;
  }

  async #reportAll(): Promise<void> {
    const { context, nodes, perSecond, burst } = this.#deps;
    if (nodes.count === 1) return;
    const keys = this.#listKeysToReport(context.elapsed());
    try {
      for (let start = 0; start < keys.length; start += BATCH_MAX) {
        await this.#reportBatch(keys.slice(start, start + BATCH_MAX));
      }
      this.#reports += 1;
      if (this.#reports % REPORTS_PER_CLEANUP !== 0) return;
      await deleteIdleBuckets(context, (burst / perSecond) * 1_000 + REPORT_INTERVAL_MS);
    } catch (error) {
      context.log.warn(
        { err: error },
        "the usage of keys could not be reported; it is reported later",
      );
      this.#scheduleReport();
    }
  }

  async #reportBatch(keys: readonly string[]): Promise<void> {
    const { context, perSecond } = this.#deps;
    const usage = keys.map((key) => ({ key, used: this.#buckets.get(key)?.unreported ?? 0 }));
    const levels = await addUsage(context, { usage, perSecond });
    const at = context.elapsed();
    for (const { key, used } of usage) {
      const bucket = this.#buckets.get(key);
      if (bucket === undefined) continue;
      Object.assign(bucket, {
        reported: levels.get(key) ?? bucket.reported,
        unreported: Math.max(0, bucket.unreported - used),
        updatedAt: at,
      });
    }
  }
}
