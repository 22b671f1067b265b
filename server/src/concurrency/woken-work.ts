export interface WokenWorkOptions {
  /**
   * Does the work that is due; resolves with the milliseconds until the next run: 0 for at once, null for not until
   * woken. Never rejects.
   */
  readonly work: () => Promise<number | null>;
  /** The longest sleep, whatever `work` resolves with: a moment of the wall clock may come sooner. */
  readonly sleepMaxMs: number;
}

/** Work that is due at moments, or when woken: one run at a time, from a start to a stop. Idle, it runs no timer. */
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

  /** Runs the work that is due; if a run is under way, once more after it. */
  wake(): void {
    this.#isWoken = true;
    if (this.#state !== "started" || this.#run !== null) return;
    this.#clearTimer();
    this.#run = this.#work().finally(() => {
      this.#run = null;
      // It was woken after the last run looked.
      if (this.#isWoken) this.wake();
    });
  }

  /** Resolves once nothing is under way, and nothing more begins. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    this.#clearTimer();
    await this.#run;
  }

  async #work(): Promise<void> {
    while (this.#state === "started") {
      // Reset before the work, which may fail: failed work waits, and is not woken by the same call.
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
