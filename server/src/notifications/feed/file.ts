import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { GroupCommit } from "#delivery/limits/group-commit.ts";
import { fileNotifications } from "./store.ts";

/** So many notifications are filed in one commit. */
const BATCH_MAX = 128;

export interface FilingDeps {
  readonly context: Context;
  /** Told of what was filed; must not throw. */
  readonly onFiled: (notification: NewNotification) => void;
}

/** Returns what files notifications in the feed of their audience, many in one commit; repeating is safe. */
export function createFiling({ context, onFiled }: FilingDeps) {
  const filing = new GroupCommit<NewNotification, true>({
    commit: async (batch) => {
      await fileNotifications(context, batch);
      return batch.map(() => true);
    },
    batchMax: BATCH_MAX,
    waitMaxMs: Number.POSITIVE_INFINITY,
    elapsed: context.elapsed,
    tooSlow: () => new Error("Filing waits as long as it takes."),
  });
  return async (notification: NewNotification): Promise<void> => {
    await filing.push(notification);
    onFiled(notification);
  };
}
