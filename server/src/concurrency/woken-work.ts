export interface WokenWorkOptions {
  /** Does what is due, and returns in how many milliseconds to look again: 0 for at once, null for not before somebody wakes it. Never rejects. */
  readonly work: () => Promise<number | null>;
  /** The longest sleep: a clock that was set back is noticed this soon. */
  readonly sleepMaxMs: number;
}

/** Work that is due at moments, or when somebody says so: one run at a time, from a start to a stop. Idle, it runs no timer. */
export class WokenWork {
  readonly #options: WokenWorkOptions;
  #state: "new" | "started" | "stopped" = "new";
  #run: Promise<void> | null = null;
  #isWoken = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: WokenWorkOptions) {
    this.#options = options;
  }

  /** Begins with what is due from before. */
  start(): void {
    if (this.#state !== "new") return;
    this.#state = "started";
    this.wake();
  }

  /** Looks for what is due; where a run is under way, once more after it. */
  wake(): void {
    this.#isWoken = true;
    if (this.#state !== "started" || this.#run !== null) return;
    this.#clearTimer();
    this.#run = this.#work().finally(() => {
      this.#run = null;
      // Woken after the last look.
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
      // Before the work may fail: who fails waits, and is not woken by what woke it.
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
