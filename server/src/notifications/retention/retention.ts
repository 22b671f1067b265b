import { removeExpired } from "#accounts/store.ts";
import type { Context } from "#context.ts";
import { ACTIVITY_DAYS_MAX, dayOf } from "#delivery/activity.ts";
import {
  makeDays,
  pruneActivity,
  pruneDays,
  pruneIdempotency,
  pruneNotifications,
} from "#delivery/retention/store.ts";
import { unfileQueries } from "../feed/store.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** Idempotency keys are kept so much longer than they count: who repeats a send at their end still finds them. */
const KEY_REST_MS = 60_000;
const BATCH_MAX = 500;

export interface RetentionOptions {
  readonly context: Context;
  /** Returns how long notifications are kept now. */
  readonly retentionDays: () => Promise<number>;
}

/** Forgets what is older than the retention, once an hour; without old rows it writes nothing. */
export class Retention {
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | null = null;
  #run: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#begin(), HOUR_MS);
    this.#timer.unref();
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#run;
  }

  /** Forgets everything that is too old now. */
  async prune(): Promise<void> {
    const { context, retentionDays } = this.#options;
    await makeDays(context);
    const before = context.now() - (await retentionDays()) * DAY_MS;
    const alongside = (ids: readonly string[]) => unfileQueries(context, ids);
    let count = BATCH_MAX;
    while (count === BATCH_MAX) {
      count = await pruneNotifications(context, { before, limit: BATCH_MAX, alongside });
      if (this.#isStopped) break;
    }
    await pruneIdempotency(context, context.now() - DAY_MS - KEY_REST_MS);
    await pruneActivity(context, dayOf(context.now()) - ACTIVITY_DAYS_MAX);
    await removeExpired(context);
    await pruneDays(context, before);
  }

  #begin(): void {
    this.#run ??= this.prune()
      .catch((error: unknown) => {
        this.#options.context.log.warn({ err: error }, "old notifications are forgotten later");
      })
      .finally(() => {
        this.#run = null;
      });
  }
}
