export interface GroupCommitOptions<Item, Result> {
  /** Commits a batch; results are in the order of the items. An error is the error of each of them. */
  readonly commit: (batch: readonly Item[]) => Promise<readonly Result[]>;
  readonly batchMax: number;
  /** Counts milliseconds from any moment on, and never jumps. */
  readonly elapsed: () => number;
  /** An item that waits longer for its turn gets `tooSlow()`, and nothing of it is stored. */
  readonly waitMaxMs: number;
  readonly tooSlow: () => Error;
}

type Entry<Item, Result> = {
  readonly item: Item;
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Shares durable commits: what arrives while one runs goes into the next, so that load makes batches
 * larger instead of queues longer, and a lone item waits for nothing.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #queue: Entry<Item, Result>[] = [];
  #isRunning = false;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with the item's result once it is durable. */
  push(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#queue.push({ item, since: this.#options.elapsed(), resolve, reject });
    if (!this.#isRunning) void this.#run();
    return promise;
  }

  /** Commits until the queue is empty; never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    // Everything that arrives in this turn of the event loop shares the first commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, this.#options.batchMax);
      this.#queue = this.#queue.slice(batch.length);
      await this.#commit(batch.filter((entry) => this.#isInTime(entry)));
    }
    this.#isRunning = false;
  }

  #isInTime(entry: Entry<Item, Result>): boolean {
    if (this.#options.elapsed() - entry.since <= this.#options.waitMaxMs) return true;
    entry.reject(this.#options.tooSlow());
    return false;
  }

  async #commit(batch: readonly Entry<Item, Result>[]): Promise<void> {
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
