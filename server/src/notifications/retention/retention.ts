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
/** Idempotency keys are kept so much longer than they count: who repeats a send at their end still finds them. */
const KEY_REST_MS = 60_000;

/** Deletes up to `limit` rows of another room that are too old by the context's clock, and returns how many. Idempotent. */
export type Prune = (context: Context, limit: number) => Promise<number>;

export interface RetentionOptions {
  readonly context: Context;
  /** Ages count only by time that has certainly passed, whatever the clock shows. */
  readonly proven: Pick<Context, "now">;
  /** Returns how long notifications are kept now. */
  readonly retentionDays: () => Promise<number>;
  readonly prunes: readonly Prune[];
}

/** Forgets what is older than the retention, once an hour; without old rows it writes nothing. */
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
    this.#timer = setInterval(() => this.#begin(), HOUR_MS);
    this.#timer.unref();
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#run;
  }

  /** Forgets everything that is too old now; leaves what fails to the next run. */
  async prune(): Promise<void> {
    const { context, proven, prunes } = this.#options;
    const aged = { ...context, now: proven.now };
    await this.#orLater(() => this.#pruneNotifications(aged));
    for (const prune of prunes) {
      await this.#orLater(() => inBatches(this.#isStopped, (limit) => prune(aged, limit)));
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

  #begin(): void {
    this.#run ??= this.prune().finally(() => {
      this.#run = null;
    });
  }

  async #orLater(prune: () => Promise<void>): Promise<void> {
    try {
      await prune();
    } catch (error) {
      this.#options.context.log.warn({ err: error }, "what is too old is forgotten later");
    }
  }
}
