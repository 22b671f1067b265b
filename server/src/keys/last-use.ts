import type { Context } from "#context.ts";
import { recordUses } from "./store/use.ts";

/** Delay from the first use to the write, and so the shortest interval between writes for a key. */
const WRITE_EVERY_MS = 60_000;

/** The most keys noted in one period; uses of further keys are noted in a later one. */
const KEYS_MAX = 100_000;

/** The most uses recorded in one commit, so that commits of sends never wait long. */
const BATCH_MAX = 500;

/** Tracks the last use of keys, off the path of requests; writes nothing while no key is used. */
export class LastUse {
  readonly #context: Context;
  #uses = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Notes a use at this moment, to be written later. */
  note(keyId: string): void {
    if (this.#uses.size >= KEYS_MAX && !this.#uses.has(keyId)) return;
    this.#uses.set(keyId, this.#context.now());
    this.#timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS).unref();
  }

  /** Returns the later of the stored use and a noted one that is not written yet; null if there is neither. */
  latest(keyId: string, stored: number | null): number | null {
    const noted = this.#uses.get(keyId) ?? null;
    return noted === null || (stored !== null && stored > noted) ? stored : noted;
  }

  /** Writes the noted uses; those that cannot be written are lost, since later ones supersede them. */
  write(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#writeNoted());
    return this.#writing;
  }

  async #writeNoted(): Promise<void> {
    const uses = Array.from(this.#uses, ([keyId, at]) => ({ keyId, at }));
    this.#uses = new Map();
    try {
      for (let start = 0; start < uses.length; start += BATCH_MAX) {
        await recordUses(this.#context, uses.slice(start, start + BATCH_MAX));
      }
    } catch (error) {
      this.#context.log.warn({ err: error }, "last use of keys not written");
    }
  }
}
