import type { Context } from "#context.ts";
import { processInBatches } from "#concurrency/process-in-batches.ts";
import { ACTIVITY_DAYS_MAX, toDay } from "#delivery/result/activity.ts";
import {
  createDayPartitions,
  pruneActivity,
  dropDayPartitions,
  pruneIdempotency,
  pruneNotifications,
  type StoredNotification,
} from "#delivery/store/retention.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import { removeFromFeedsQueries } from "../feed/store.ts";

const HOUR_MS = 60 * 60 * 1_000;
/** Idempotency keys are kept this much longer than they are valid: a repetition at the last moment still finds them. */
const KEY_MARGIN_MS = 60_000;

/**
 * A function that deletes up to `limit` rows of another room that are too old by the context's clock, and returns how
 * many. Idempotent.
 */
export type PruneFunction = (context: Context, limit: number) => Promise<number>;

/** The dependencies of the deletion of old data. */
export interface RetentionDeps {
  readonly context: Context;
  /** A clock for ages, which counts only time that has certainly passed. */
  readonly provenTime: Pick<Context, "now">;
  /** Returns for how long notifications are currently kept. */
  readonly getRetentionDays: () => Promise<number>;
  /** The deletions of other rooms. */
  readonly prunes: readonly PruneFunction[];
}

/**
 * The hourly deletion of old data, each kind after its own period. On PostgreSQL, it also creates the partitions of the
 * coming days.
 */
export class Retention {
  readonly #deps: RetentionDeps;
  #timer: NodeJS.Timeout | null = null;
  #run: Promise<void> | null = null;
  #isStopRequested = false;

  readonly #isStopped = (): boolean => this.#isStopRequested;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => this.#startRun(), HOUR_MS);
    this.#timer.unref();
    this.#startRun();
  }

  async stop(): Promise<void> {
    this.#isStopRequested = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#run;
  }

  /** Deletes the data that is too old now. Logs each failure and leaves that data to the next run. */
  async prune(): Promise<void> {
    const { context, provenTime, prunes } = this.#deps;
    const provenContext = { ...context, now: provenTime.now };
    await this.#tryPrune(() => this.#maintainNotificationTables(provenContext));
    for (const prune of prunes) {
      await this.#tryPrune(() =>
        processInBatches(this.#isStopped, (limit) => prune(provenContext, limit)),
      );
    }
  }

  async #maintainNotificationTables(context: Context): Promise<void> {
    const { getRetentionDays } = this.#deps;
    // The partitions are for new rows, whose ids have the time of the wall clock.
    await createDayPartitions(this.#deps.context);
    const before = context.now() - (await getRetentionDays()) * DAY_MS;
    const createExtraStatements = (notifications: readonly StoredNotification[]) =>
      removeFromFeedsQueries(context, notifications);
    await processInBatches(this.#isStopped, (limit) =>
      pruneNotifications(context, { before, limit, createExtraStatements }),
    );
    await pruneIdempotency(context, context.now() - DAY_MS - KEY_MARGIN_MS);
    await pruneActivity(context, toDay(context.now()) - ACTIVITY_DAYS_MAX);
    await dropDayPartitions(context, before);
  }

  #startRun(): void {
    this.#run ??= this.prune().finally(() => {
      this.#run = null;
    });
  }

  async #tryPrune(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#deps.context.log.warn(
        { err: error },
        "old data could not be deleted; the next run retries",
      );
    }
  }
}
