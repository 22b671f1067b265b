/** The work of a `WakeableTask`. */
export interface WakeableTaskOptions {
  /**
   * Does the due work; resolves with the milliseconds until the next run: 0 for immediately, null for not before the
   * next `wake`. Never rejects.
   */
  readonly runDueWork: () => Promise<number | null>;
  /** The longest sleep, even if `runDueWork` resolves with more: if the wall clock is set, work may be due sooner. */
  readonly sleepMaxMs: number;
}

/**
 * A background task that runs when its work is due or when it is woken, one run at a time, between `start` and `stop`.
 * Sets no timer while it has no work.
 */
export class WakeableTask {
  readonly #options: WakeableTaskOptions;
  #state: "new" | "started" | "stopped" = "new";
  #run: Promise<void> | null = null;
  #isWoken = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: WakeableTaskOptions) {
    this.#options = options;
  }

  /** Starts the task, beginning with the work that is already due. */
  start(): void {
    if (this.#state !== "new") return;
    this.#state = "started";
    this.wake();
  }

  /** Runs the due work. If a run is in progress, another one follows it. */
  wake(): void {
    this.#isWoken = true;
    if (this.#state !== "started" || this.#run !== null) return;
    this.#clearTimer();
    this.#run = this.#runUntilIdle().finally(() => {
      this.#run = null;
      // A wake-up came after the last run had checked for work.
      if (this.#isWoken) this.wake();
    });
  }

  /** Resolves once no run is in progress. No further run starts. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    this.#clearTimer();
    await this.#run;
  }

  async #runUntilIdle(): Promise<void> {
    while (this.#state === "started") {
      // Reset before the work, so that a wake-up during the work is not lost.
      this.#isWoken = false;
      const waitMs = await this.#options.runDueWork();
      if (waitMs === 0) continue;
      if (waitMs !== null) this.#wakeIn(waitMs);
      return;
    }
  }

  #wakeIn(waitMs: number): void {
    this.#clearTimer();
    if (this.#state !== "started") return;
    this.#timer = setTimeout(() => this.wake(), Math.min(waitMs, this.#options.sleepMaxMs));
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
