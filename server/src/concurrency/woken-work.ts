export interface WokenWorkOptions {
  /**
   * Does the due work; resolves with the milliseconds until the next run: 0 for immediately, null for not before the
   * next `wake`. Never rejects.
   */
  readonly work: () => Promise<number | null>;
  /** Limit of a sleep, even if `work` resolves with more: if the wall clock is set, work may be due sooner. */
  readonly sleepMaxMs: number;
}

/**
 * Work that runs when it is due or woken, one run at a time, between `start` and `stop`. Sets no timer while it is
 * idle.
 */
export class WokenWork {
  readonly #options: WokenWorkOptions;
  #state: "new" | "started" | "stopped" = "new";
  #run: Promise<void> | null = null;
  #isWoken = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: WokenWorkOptions) {
    this.#options = options;
  }

  /** Starts with the work that is already due. */
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
    this.#run = this.#work().finally(() => {
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

  async #work(): Promise<void> {
    while (this.#state === "started") {
      // Reset before the work: if the work fails, the same wake-up must not run it again.
      this.#isWoken = false;
      const waitMs = await this.#options.work();
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
