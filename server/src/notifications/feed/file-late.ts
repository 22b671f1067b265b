import type { Context } from "#context.ts";
import type { LeasedJob, NewNotification } from "#delivery/delivery.ts";
import { GroupCommit } from "#delivery/limits/group-commit.ts";
import { fileNotifications, findUnfiled } from "./store.ts";

const BATCH_MAX = 128;

export interface LateFilingDeps {
  readonly context: Context;
  /** Publishes the arrival of a notification; must not throw. */
  readonly publish: (notification: NewNotification) => void;
}

/** A job that this process took over from the one that accepted it, before its first attempt. */
export type TakenOver = Pick<LeasedJob, "notification" | "crashes">;

/**
 * Returns a function that files and publishes a notification if the process that accepted it did not. A process of
 * an earlier version leaves the feed entry and the publication to the process that makes the first attempt. One of
 * this version stores the entry with the notification, but may crash before it publishes. The jobs of one claim
 * share a read, and a commit only if entries are missing. Idempotent, except that an event may be published twice.
 */
export function createLateFiling({ context, publish }: LateFilingDeps) {
  const filing = new GroupCommit<NewNotification, boolean>({
    async commit(batch) {
      const unfiled = await findUnfiled(context, batch);
      if (unfiled.length > 0) await fileNotifications(context, unfiled);
      return batch.map((notification) => unfiled.includes(notification));
    },
    batchMax: BATCH_MAX,
    waitMaxMs: Number.POSITIVE_INFINITY,
    elapsed: context.elapsed,
    tooSlow: () => new Error("Late filing waits as long as it takes."),
  });
  return async ({ notification, crashes }: TakenOver): Promise<void> => {
    const wasUnfiled = await filing.push(notification);
    if (wasUnfiled || crashes > 0) publish(notification);
  };
}
