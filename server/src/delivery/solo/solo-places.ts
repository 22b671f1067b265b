import type { Logger } from "pino";
import type { Outcome, Provider } from "#providers/provider.ts";
import type { Attempt } from "./messages.ts";
import { Semaphore } from "#concurrency/semaphore.ts";
import { startSoloProcess, type SoloProcess, type SoloProcessOptions } from "./solo-process.ts";

export interface SoloPlacesOptions extends SoloProcessOptions {
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  readonly log: Logger;
}

/** Returns the provider that makes the attempts of the given one in another process. */
export type Instead = (provider: Provider) => Provider;

/** Processes at once, each with one attempt at a time; a second one only where attempts wait for the first. */
const PROCESSES_MAX = 2;
/** A process that has nothing to do is ended after this. */
const IDLE_MS = 5_000;
/** After a process could not be started, none is for so long. */
const REST_MS = 5_000;

/** Not begun is not failed: no request left us, and no push service had a part in it. */
const NOT_STARTED: Outcome = {
  kind: "retry",
  reason: { code: "unreachable", detail: "no process could be started for it" },
  afterMs: REST_MS,
  counted: false,
  isNoSign: true,
};

/** The places of attempts that may end their process: each is made in a process that is not this one. */
export class SoloPlaces {
  readonly #options: SoloPlacesOptions;
  readonly #attemptLimits = new Semaphore(PROCESSES_MAX);
  readonly #idle: SoloProcess[] = [];
  readonly #ending = new Set<Promise<void>>();
  #idleTimer: NodeJS.Timeout | null = null;
  /** By the monotonic clock. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isRefusing = false;

  constructor(options: SoloPlacesOptions) {
    this.#options = options;
  }

  /**
   * Runs `work` once there is a place for it, in the order of asking; not at all once places are refused. What is
   * suspected has a process for itself, before and after.
   */
  async use(isSuspected: boolean, work: (instead: Instead) => Promise<void>): Promise<void> {
    await this.#attemptLimits.use(async () => {
      if (this.#isRefusing) return;
      await work((provider) => ({
        name: provider.name,
        serviceOf: (address) => provider.serviceOf(address),
        send: (message, address, signal) => {
          const attempt = { provider: provider.name, message, address };
          return this.#send(attempt, { isSuspected, signal });
        },
        close: async () => {},
      }));
    });
  }

  /** Lets nobody in any more; who waits in line is let go. */
  refuse(): void {
    this.#isRefusing = true;
  }

  /** Ends every process; nothing may be under way. */
  async close(): Promise<void> {
    this.refuse();
    this.#endIdle();
    await Promise.all(this.#ending);
  }

  async #send(
    attempt: Omit<Attempt, "now">,
    { isSuspected, signal }: { readonly isSuspected: boolean; readonly signal: AbortSignal },
  ): Promise<Outcome> {
    const process = await this.#take(isSuspected);
    if (process === null) return NOT_STARTED;
    try {
      return await process.send({ ...attempt, now: this.#options.now() }, signal);
    } finally {
      if (isSuspected) this.#end(process);
      else this.#giveBack(process);
    }
  }

  /** Null where none can be started now. */
  async #take(isSuspected: boolean): Promise<SoloProcess | null> {
    for (let process = this.#idle.pop(); process !== undefined; process = this.#idle.pop()) {
      if (process.isGone) continue;
      if (process.isFresh || !isSuspected) return process;
      this.#end(process);
    }
    if (this.#options.elapsed() < this.#restsUntil) return null;
    try {
      return await startSoloProcess(this.#options);
    } catch (error) {
      this.#restsUntil = this.#options.elapsed() + REST_MS;
      this.#options.log.error(
        { err: error },
        "no process can be started for attempts that ended others",
      );
      return null;
    }
  }

  #giveBack(process: SoloProcess): void {
    if (process.isGone) return;
    this.#idle.push(process);
    this.#idleTimer ??= setTimeout(() => this.#endIdle(), IDLE_MS);
    this.#idleTimer.refresh();
  }

  #endIdle(): void {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    this.#idleTimer = null;
    for (const process of this.#idle.splice(0)) this.#end(process);
  }

  #end(process: SoloProcess): void {
    const ending = process.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
