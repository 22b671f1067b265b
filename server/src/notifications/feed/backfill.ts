import type { Context } from "#context.ts";
import type { LeasedJob, NewNotification } from "#delivery/delivery.ts";
import { GroupCommit } from "#delivery/limits/group-commit.ts";
import { insertFeedEntries, findWithoutFeedEntry } from "./store.ts";

const NOTIFICATIONS_PER_COMMIT_MAX = 128;

/** The dependencies of the feed backfill. */
export interface FeedBackfillDeps {
  readonly context: Context;
  /** Publishes the arrival of a notification; must not throw. */
  readonly publish: (notification: NewNotification) => void;
}

/** A job not yet attempted, which this process took over from the process that accepted it. */
export type TakenOverJob = Pick<LeasedJob, "notification" | "crashes">;

/**
 * Returns a function that adds a notification to its feed and publishes it, unless the process that accepted it has
 * done so. A process of this version stores the feed entry with the notification, but may crash before it publishes.
 * A process of an earlier version leaves both to the process that makes the first attempt. The push
 * of an incident or a prompt is skipped: it may be in no feed, and no earlier version sends such a push.
 *
 * Concurrent calls share one read, and one commit if entries are missing. Safe to repeat; an event may be published
 * twice.
 */
export function createFeedBackfill({ context, publish }: FeedBackfillDeps) {
  const groupCommit = new GroupCommit<NewNotification, boolean>({
    async commit(batch) {
      const notificationsWithoutEntry = await findWithoutFeedEntry(context, batch);
      if (notificationsWithoutEntry.length > 0)
        await insertFeedEntries(context, notificationsWithoutEntry);
      return batch.map((notification) => notificationsWithoutEntry.includes(notification));
    },
    batchMax: NOTIFICATIONS_PER_COMMIT_MAX,
    waitMaxMs: Number.POSITIVE_INFINITY,
    elapsed: context.elapsed,
    // Without a time limit, this error cannot occur.
    createTimeoutError: () => new Error("A feed backfill has no time limit."),
  });
  return async ({ notification, crashes }: TakenOverJob): Promise<void> => {
    if (notification.interaction !== null) return;
    const wasMissing = await groupCommit.submit(notification);
    if (wasMissing || crashes > 0) publish(notification);
  };
}
