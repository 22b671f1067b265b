import { Listeners } from "#concurrency/listeners.ts";
import type { Context } from "#context.ts";
import { GroupCommit } from "#delivery/limits/group-commit.ts";
import { recordPresence, type PresenceChange } from "./store/presence.ts";
import { putMessages, type Put, type PutResult } from "./store/put.ts";
import {
  takeMessages,
  takeUpTo,
  type Take,
  type TakenMessage,
  type TakeResult,
  type TakeUpToInput,
} from "./store/take.ts";

/** Maximum number of items in one commit. */
const BATCH_MAX = 500;

/**
 * The mailboxes of connected apps. Puts, proofs and changes of connections share commits, because thousands come at once when a
 * large audience is sent to.
 */
export class Mailbox {
  readonly #context: Context;
  /** Called with messages whose proof was recorded by this process. */
  readonly taken = new Listeners<[taken: readonly TakenMessage[]]>();
  /** Called after proofs made jobs due. */
  readonly jobsDue = new Listeners<[]>();
  readonly #puts: GroupCommit<Put, PutResult>;
  readonly #takes: GroupCommit<Take, null>;
  readonly #presence: GroupCommit<PresenceChange, { readonly lastNumber: number | null }>;

  constructor(context: Context) {
    this.#context = context;
    this.#puts = createGroupCommit(context, (batch) => putMessages(context, batch));
    this.#takes = createGroupCommit(context, async (batch) => {
      this.#announce(await takeMessages(context, batch));
      return batch.map(() => null);
    });
    this.#presence = createGroupCommit(context, async (batch) => {
      const numbers = await recordPresence(context, batch);
      return numbers.map((lastNumber) => ({ lastNumber }));
    });
  }

  /** Puts a message into the mailbox of an app, once. */
  put(message: Put): Promise<PutResult> {
    return this.#puts.submit(message);
  }

  /** Records proofs. Resolves once they are durable. Each counts for the size of a commit: a statement has a limit of values. */
  async take(takes: readonly Take[]): Promise<void> {
    await Promise.all(takes.map(this.#takes.submit));
  }

  /** Records that an app went on after a message. */
  async takeUpTo(input: TakeUpToInput): Promise<void> {
    this.#announce(await takeUpTo(this.#context, input));
  }

  /** Records a change of a connection. Returns the number of the app's latest message; null if the app was removed. */
  async recordPresence(change: PresenceChange): Promise<number | null> {
    const { lastNumber } = await this.#presence.submit(change);
    return lastNumber;
  }

  #announce({ taken, hasDueJobs }: TakeResult): void {
    if (taken.length > 0) this.taken.call(taken);
    if (hasDueJobs) this.jobsDue.call();
  }
}

function createGroupCommit<Item, Result>(
  { elapsed }: Pick<Context, "elapsed">,
  commit: (batch: readonly Item[]) => Promise<readonly Result[]>,
): GroupCommit<Item, Result> {
  return new GroupCommit<Item, Result>({
    commit,
    batchMax: BATCH_MAX,
    waitMaxMs: Number.POSITIVE_INFINITY,
    elapsed,
    createTimeoutError: () => new Error("A commit of mailboxes has no time limit."),
  });
}
