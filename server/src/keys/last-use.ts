import type { Context } from "#context.ts";
import { recordUses } from "./store/use.ts";

/** Uses are written this long after the first of them, and so at most this often for each key. */
const WRITE_EVERY_MS = 60_000;

/** So many keys are noted in one period; what is used besides is noted in a later one. */
const KEYS_MAX = 100_000;

/** One commit records so many, so that the commits of senders never wait long. */
const BATCH_MAX = 500;

/** Remembers when keys were last used, off the path of requests; while no key is used, nothing is written. */
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

  /** Returns the later of a use that is stored and one that was noted here and is not written yet; null for neither. */
  latest(keyId: string, stored: number | null): number | null {
    const noted = this.#uses.get(keyId) ?? null;
    return noted === null || (stored !== null && stored > noted) ? stored : noted;
  }

  /** Writes what was noted; uses that cannot be written are lost, since later ones supersede them. */
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
