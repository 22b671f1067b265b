import type { Context } from "#context.ts";
import type { Nodes } from "../nodes.ts";
import { addUses, forgetRested } from "./store.ts";

export interface SharedRateLimitOptions {
  readonly context: Context;
  readonly nodes: Pick<Nodes, "count">;
  /** Requests per second in the long run, over all nodes; 0 switches the limit off. */
  readonly perSecond: number;
  /** Requests that may come at once after a rest, over all nodes. */
  readonly burst: number;
  /** Returns the error of a key that has to wait. */
  readonly rateExceeded: (retryAfterMs: number) => Error;
}

/** Interval at which each node reports the use of keys: at most one write per second for each key. */
const TELL_EVERY_MS = 1_000;
/** Keys reported in one statement. */
const KEYS_AT_ONCE = 1_000;
/** Keys in memory above which those at rest are forgotten. */
const KEYS_MAX = 100_000;
/** Reports between two deletions of keys at rest from the database. */
const FORGET_EVERY = 60;
/** Rounding error allowed in sums of fractional requests. */
const ROUNDING = 1e-6;

/** Levels are in requests, like those of `RateLimit`. */
interface SharedBucket {
  /** Use by all nodes, as far as reported. */
  told: number;
  /** Use by this node since its last report, which the others do not know yet. */
  untold: number;
  /** When both were right, by the monotonic clock. */
  at: number;
}

/**
 * Limits how often each key may send, over all nodes together. Each node decides by what it knows, and once a second
 * all share what was used. Between two reports a node grants its part of what is left, or one second's worth: what they
 * grant too much together is a debt, which later requests wait out.
 */
export class SharedRateLimit {
  readonly #options: SharedRateLimitOptions;
  readonly #buckets = new Map<string, SharedBucket>();
  #timer: NodeJS.Timeout | null = null;
  #telling: Promise<void> = Promise.resolve();
  #tellings = 0;
  #isStopped = false;

  constructor(options: SharedRateLimitOptions) {
    this.#options = options;
  }

  /**
   * Takes `cost` requests, but never more than the burst, from what `key` may send. Throws `rateExceeded`
   * with the wait, and then takes nothing.
   */
  take(key: string, cost: number): void {
    const { perSecond, burst, context, rateExceeded } = this.#options;
    if (perSecond === 0) return;
    const bucket = this.#bucketOf(key, context.elapsed());
    const wanted = Math.min(cost, burst);
    const excess = bucket.untold + wanted - this.#allowance(bucket, wanted);
    if (excess > ROUNDING) throw rateExceeded((excess * 1_000) / perSecond);
    bucket.untold += wanted;
    this.#tellLater();
  }

  /** Reports the use here, and learns that of the others; never rejects. Runs by itself every second. */
  async tell(): Promise<void> {
    // One report after the other: no use is reported twice.
    this.#telling = this.#telling.then(() => this.#tellAll());
    await this.#telling;
  }

  /** Reports the remaining use, and stops. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.tell();
  }

  /** Returns the most use that may be unreported: all that is left if this is the only node. */
  #allowance({ told, untold }: SharedBucket, wanted: number): number {
    const { perSecond, burst, nodes } = this.#options;
    const left = burst - told;
    const perTelling = (perSecond * TELL_EVERY_MS) / 1_000;
    const part = Math.max(left / nodes.count, Math.min(left, perTelling));
    // One request may cost more than a part: it passes if everything else is reported.
    return untold === 0 && wanted > part ? left : part;
  }

  #bucketOf(key: string, at: number): SharedBucket {
    const bucket = this.#buckets.get(key) ?? { told: 0, untold: 0, at };
    this.#drain(bucket, at);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > KEYS_MAX) this.#forgetRested(at);
    return bucket;
  }

  /** The reported part drains first. */
  #drain(bucket: SharedBucket, at: number): void {
    const drained = ((at - bucket.at) * this.#options.perSecond) / 1_000;
    bucket.untold = Math.max(0, bucket.untold - Math.max(0, drained - bucket.told));
    bucket.told = Math.max(0, bucket.told - drained);
    bucket.at = at;
  }

  #forgetRested(at: number): void {
    for (const [key, bucket] of this.#buckets) {
      this.#drain(bucket, at);
      if (bucket.told + bucket.untold === 0) this.#buckets.delete(key);
    }
  }

  /** A lone node has no other to report to. */
  #tellLater(): void {
    if (this.#isStopped || this.#options.nodes.count === 1) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.tell();
    }, TELL_EVERY_MS).unref();
  }

  #untoldKeys(at: number): readonly string[] {
    const keys: string[] = [];
    for (const [key, bucket] of this.#buckets) {
      this.#drain(bucket, at);
      if (bucket.untold > 0) keys.push(key);
    }
    return keys;
  }

  async #tellAll(): Promise<void> {
    const { context, nodes, perSecond, burst } = this.#options;
    if (nodes.count === 1) return;
    const keys = this.#untoldKeys(context.elapsed());
    try {
      for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
        await this.#tellSome(keys.slice(start, start + KEYS_AT_ONCE));
      }
      this.#tellings += 1;
      if (this.#tellings % FORGET_EVERY !== 0) return;
      await forgetRested(context, (burst / perSecond) * 1_000 + TELL_EVERY_MS);
    } catch (error) {
      context.log.warn({ err: error }, "what keys used is told to other nodes later");
      this.#tellLater();
    }
  }

  async #tellSome(keys: readonly string[]): Promise<void> {
    const { context, perSecond } = this.#options;
    const uses = keys.map((key) => ({ key, used: this.#buckets.get(key)?.untold ?? 0 }));
    const levels = await addUses(context, { uses, perSecond });
    const at = context.elapsed();
    for (const { key, used } of uses) {
      const bucket = this.#buckets.get(key);
      if (bucket === undefined) continue;
      Object.assign(bucket, {
        told: levels.get(key) ?? bucket.told,
        untold: Math.max(0, bucket.untold - used),
        at,
      });
    }
  }
}
