import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Outcome } from "#providers/provider.ts";
import type { Attempt, Order, Word } from "./messages.ts";

/** How a process ended by itself. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The lines of code, where an error that nobody caught was the reason. */
  readonly where: string | null;
}

/** An attempt ended the process that made it. */
export class AttemptCrashedError extends Error {
  override readonly name = "AttemptCrashedError";
  readonly end: ProcessEnd;

  constructor(end: ProcessEnd) {
    super("An attempt ended the process that made it.");
    this.end = end;
  }
}

export interface SoloProcessOptions {
  /** The path of a module that calls `serveAttempts`. */
  readonly entry: string;
  /** Returns what its providers are made of, or a promise of it; it goes no other way than over the pipe between the two. */
  readonly settings: () => unknown;
}

const START_MAX_MS = 15_000;
/** Whoever does not hear that an attempt is given up hangs, and is ended. */
const ABORT_GRACE_MS = 1_000;
const END_GRACE_MS = 2_000;

/** Starts a process that makes attempts; rejects where it does not come up, which is no attempt's fault. */
export async function startSoloProcess(options: SoloProcessOptions): Promise<SoloProcess> {
  const settings = await options.settings();
  const child = fork(options.entry, [], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const solo = new SoloProcess(child);
  const start = { kind: "start", settings } as const;
  const late = setTimeout(() => solo.kill(), START_MAX_MS);
  try {
    await solo.isReady(start);
    return solo;
  } catch (error) {
    solo.kill();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

interface Asked {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** A process that makes one attempt at a time, as its parent sees it. */
export class SoloProcess {
  readonly #child: ChildProcess;
  readonly #ready = Promise.withResolvers<void>();
  readonly #gone: Promise<void>;
  #asked: Asked | null = null;
  #where: string | null = null;
  /** Its end is our doing. */
  #isEnded = false;
  #isGone = false;
  #served = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#gone = this.#watch();
    // What cannot be said to it, or done with it, is told by its end.
    child.on("error", () => {});
    // Words are written by `serveAttempts` alone.
    child.on("message", (word) => this.#hear(word as Word));
  }

  /** Whether it made no attempt so far that could have left something behind. */
  get isFresh(): boolean {
    return this.#served === 0;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Tells it what it is made of, and resolves when it is. */
  async isReady(start: Order & { readonly kind: "start" }): Promise<void> {
    this.#tell(start);
    await this.#ready.promise;
  }

  /** Makes an attempt; rejects with `AttemptCrashedError` where the process ended over it by itself. */
  async send(attempt: Attempt, signal: AbortSignal): Promise<Outcome> {
    signal.throwIfAborted();
    this.#served += 1;
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.#asked = { resolve, reject };
    let grace: NodeJS.Timeout | null = null;
    const giveUp = (): void => {
      this.#tell({ kind: "abort" });
      grace = setTimeout(() => this.kill(), ABORT_GRACE_MS);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    this.#tell({ kind: "send", attempt });
    try {
      return await promise;
    } finally {
      this.#asked = null;
      signal.removeEventListener("abort", giveUp);
      if (grace !== null) clearTimeout(grace);
    }
  }

  /** Ends it at once, which counts against no attempt. */
  kill(): void {
    this.#isEnded = true;
    this.#child.kill("SIGKILL");
  }

  /** Lets it end, and resolves when it has. */
  async end(): Promise<void> {
    this.#isEnded = true;
    const late = setTimeout(() => this.kill(), END_GRACE_MS);
    if (this.#child.connected) this.#child.disconnect();
    await this.#gone;
    clearTimeout(late);
  }

  /** Never rejects. What it said before its end is heard first: an exit may be told before the pipe is empty. */
  async #watch(): Promise<void> {
    const child = this.#child;
    const disconnected = once(child, "disconnect").catch(() => {});
    try {
      const [exitCode, signal] = await once(child, "exit");
      if (child.connected) await disconnected;
      this.#isGone = true;
      this.#endAsked({ exitCode, signal, where: this.#where });
      const how = [exitCode ?? signal, this.#where].join(" ");
      this.#ready.reject(new Error(`The process ended at its start: ${how}`));
    } catch (error) {
      // There was none.
      this.#isGone = true;
      this.#ready.reject(error);
    }
  }

  #hear(word: Word): void {
    switch (word.kind) {
      case "ready":
        this.#ready.resolve();
        return;
      case "done":
        this.#asked?.resolve(word.outcome);
        return;
      case "failed":
        this.#asked?.reject(word.error);
        return;
      case "dying":
        this.#where = word.where;
    }
  }

  #endAsked(end: ProcessEnd): void {
    const error = this.#isEnded
      ? new Error("The process of the attempt was ended.")
      : new AttemptCrashedError(end);
    this.#asked?.reject(error);
  }

  #tell(order: Order): void {
    this.#child.send(order, () => {});
  }
}
