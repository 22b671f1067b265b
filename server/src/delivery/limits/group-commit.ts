export interface GroupCommitOptions<Item, Result> {
  /** Commits a batch and returns results in the order of the items. An error rejects each item. */
  readonly commit: (batch: readonly Item[]) => Promise<readonly Result[]>;
  readonly batchMax: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Longest wait of an item for its commit to begin. After that it rejects with `tooSlow()` and is not stored. */
  readonly waitMaxMs: number;
  readonly tooSlow: () => Error;
}

type QueuedItem<Item, Result> = {
  readonly item: Item;
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Groups items into durable commits. Items that arrive while a commit runs share the next one. Under load, batches grow instead
 * of queues, and a single item does not wait.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #queue: QueuedItem<Item, Result>[] = [];
  #isRunning = false;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with the item's result once it is durable. */
  readonly push = (item: Item): Promise<Result> => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#queue.push({ item, since: this.#options.elapsed(), resolve, reject });
    if (!this.#isRunning) void this.#run();
    return promise;
  };

  /** Commits until the queue is empty; never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    // All items of this turn of the event loop share the first commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, this.#options.batchMax);
      this.#queue = this.#queue.slice(batch.length);
      await this.#commit(batch.filter((entry) => this.#isInTime(entry)));
    }
    this.#isRunning = false;
  }

  #isInTime(entry: QueuedItem<Item, Result>): boolean {
    if (this.#options.elapsed() - entry.since <= this.#options.waitMaxMs) return true;
    entry.reject(this.#options.tooSlow());
    return false;
  }

  async #commit(batch: readonly QueuedItem<Item, Result>[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const results = await this.#options.commit(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result === undefined) reject(new Error("A commit answered fewer results than items."));
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
