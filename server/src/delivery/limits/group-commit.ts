/** The commit function, the limits and the clock of a group commit. */
export interface GroupCommitDeps<Item, Result> {
  /**
   * Commits a batch and returns results in the order of the items. If the commit throws, every item of the batch is
   * rejected.
   */
  readonly commit: (batch: readonly Item[]) => Promise<readonly Result[]>;
  readonly batchMax: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /**
   * An item waits at most this long for its commit to begin. After that, its promise rejects with
   * `createTimeoutError()`, and the item is not stored.
   */
  readonly waitMaxMs: number;
  readonly createTimeoutError: () => Error;
}

type QueuedItem<Item, Result> = {
  readonly item: Item;
  readonly queuedAt: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Groups items into durable commits. Items that arrive while a commit runs share the next one. Under load, batches grow
 * up to `batchMax`. Without load, an item is committed at once.
 */
export class GroupCommit<Item, Result> {
  readonly #deps: GroupCommitDeps<Item, Result>;
  #queue: QueuedItem<Item, Result>[] = [];
  #isRunning = false;

  constructor(deps: GroupCommitDeps<Item, Result>) {
    this.#deps = deps;
  }

  /** Resolves with the item's result once it is durable. */
  readonly submit = (item: Item): Promise<Result> => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#queue.push({ item, queuedAt: this.#deps.elapsed(), resolve, reject });
    if (!this.#isRunning) void this.#run();
    return promise;
  };

  /** Commits until the queue is empty; never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    // All items of this turn of the event loop share the first commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, this.#deps.batchMax);
      this.#queue = this.#queue.slice(batch.length);
      await this.#commit(batch.filter((queuedItem) => !this.#rejectIfTooLate(queuedItem)));
    }
    this.#isRunning = false;
  }

  /** Returns whether the item waited too long, and was rejected. */
  #rejectIfTooLate({ queuedAt, reject }: QueuedItem<Item, Result>): boolean {
    if (this.#deps.elapsed() - queuedAt <= this.#deps.waitMaxMs) return false;
    reject(this.#deps.createTimeoutError());
    return true;
  }

  async #commit(batch: readonly QueuedItem<Item, Result>[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const results = await this.#deps.commit(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result === undefined) reject(new Error("A commit returned fewer results than items."));
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
