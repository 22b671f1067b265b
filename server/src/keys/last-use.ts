import type { Context } from "#context.ts";
import { recordUses } from "./store/use.ts";

/** Delay from the first use to the write. A key is written at most once per interval. */
const WRITE_EVERY_MS = 60_000;

/** Maximum number of keys recorded per interval. Uses of further keys are dropped. */
const KEYS_MAX = 100_000;

/** Maximum number of uses per commit, so that commits of sends never wait long. */
const BATCH_MAX = 500;

/** Records the last use of each key outside the request path. Writes nothing while no key is used. */
export class LastUse {
  readonly #context: Context;
  #uses = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Records a use now. It is written later. */
  record(keyId: string): void {
    if (this.#uses.size >= KEYS_MAX && !this.#uses.has(keyId)) return;
    this.#uses.set(keyId, this.#context.now());
    this.#timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS).unref();
  }

  /** Returns the latest use, stored or not yet written; null if the key was never used. */
  latest(keyId: string, stored: number | null): number | null {
    const recorded = this.#uses.get(keyId) ?? null;
    return recorded === null || (stored !== null && stored > recorded) ? stored : recorded;
  }

  /** Writes the recorded uses. If the write fails they are dropped, because later uses supersede them. */
  write(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#writePending());
    return this.#writing;
  }

  async #writePending(): Promise<void> {
    const uses = Array.from(this.#uses, ([keyId, at]) => ({ keyId, at }));
    this.#uses = new Map();
    try {
      for (let start = 0; start < uses.length; start += BATCH_MAX) {
        await recordUses(this.#context, uses.slice(start, start + BATCH_MAX));
      }
    } catch (error) {
      this.#context.log.warn({ err: error }, "could not write the last use of keys");
    }
  }
}
