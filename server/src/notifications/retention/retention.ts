import type { Context } from "#context.ts";
import { inBatches } from "#concurrency/in-batches.ts";
import { ACTIVITY_DAYS_MAX, dayOf } from "#delivery/result/activity.ts";
import {
  makeDays,
  pruneActivity,
  pruneDays,
  pruneIdempotency,
  pruneNotifications,
} from "#delivery/store/retention.ts";
import { DAY_MS } from "#schema/moment.ts";
import { unfileQueries } from "../feed/store.ts";

const HOUR_MS = 60 * 60 * 1_000;
/** Idempotency keys are kept this much longer than they are valid, so that a repetition at the last moment still finds them. */
const KEY_REST_MS = 60_000;

/** Deletes up to `limit` rows of another folder that are too old by the context's clock, and returns how many. Idempotent. */
export type Prune = (context: Context, limit: number) => Promise<number>;

export interface RetentionOptions {
  readonly context: Context;
  /** A clock for ages, which counts only time that has certainly passed. */
  readonly proven: Pick<Context, "now">;
  /** Returns for how long notifications are currently kept. */
  readonly retentionDays: () => Promise<number>;
  readonly prunes: readonly Prune[];
}

/** Deletes data that is older than the retention period, once an hour. Writes nothing if there are no old rows. */
export class Retention {
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | null = null;
  #run: Promise<void> | null = null;
  #stopped = false;

  readonly #isStopped = (): boolean => this.#stopped;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#startRun(), HOUR_MS);
    this.#timer.unref();
    this.#startRun();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#run;
  }

  /** Deletes everything that is too old now; leaves failures to the next run. */
  async prune(): Promise<void> {
    const { context, proven, prunes } = this.#options;
    const aged = { ...context, now: proven.now };
    await this.#tryPrune(() => this.#pruneNotifications(aged));
    for (const prune of prunes) {
      await this.#tryPrune(() => inBatches(this.#isStopped, (limit) => prune(aged, limit)));
    }
  }

  async #pruneNotifications(context: Context): Promise<void> {
    const { retentionDays } = this.#options;
    await makeDays(this.#options.context);
    const before = context.now() - (await retentionDays()) * DAY_MS;
    const alongside = (ids: readonly string[]) => unfileQueries(context, ids);
    await inBatches(this.#isStopped, (limit) =>
      pruneNotifications(context, { before, limit, alongside }),
    );
    await pruneIdempotency(context, context.now() - DAY_MS - KEY_REST_MS);
    await pruneActivity(context, dayOf(context.now()) - ACTIVITY_DAYS_MAX);
    await pruneDays(context, before);
  }

  #startRun(): void {
    this.#run ??= this.prune().finally(() => {
      this.#run = null;
    });
  }

  async #tryPrune(prune: () => Promise<void>): Promise<void> {
    try {
      await prune();
    } catch (error) {
      this.#options.context.log.warn({ err: error }, "what is too old is forgotten later");
    }
  }
}
