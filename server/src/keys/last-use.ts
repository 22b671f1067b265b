import type { Context } from "#context.ts";
import { recordKeyUses } from "./store/use.ts";

/** Delay from the first use to the write. A key is written at most once per interval. */
const WRITE_INTERVAL_MS = 60_000;

/** Maximum number of keys recorded per interval. Uses of further keys are dropped. */
const USED_KEYS_MAX = 100_000;

/** Maximum number of uses per commit, so that commits of sends never wait long. */
const BATCH_MAX = 500;

/** Records the last use of each key outside the request path. Writes nothing while no key is used. */
export class LastUseRecorder {
  readonly #context: Context;
  #usedAtByKeyId = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Records that the key is used now. A later write stores the use. */
  record(keyId: string): void {
    if (this.#usedAtByKeyId.size >= USED_KEYS_MAX && !this.#usedAtByKeyId.has(keyId)) return;
    this.#usedAtByKeyId.set(keyId, this.#context.now());
    this.#timer ??= setTimeout(() => void this.write(), WRITE_INTERVAL_MS).unref();
  }

  /** Returns the time of the latest use, stored or not yet written; null if the key was never used. */
  getLastUsedAt(keyId: string, storedAt: number | null): number | null {
    const recordedAt = this.#usedAtByKeyId.get(keyId) ?? null;
    return recordedAt === null || (storedAt !== null && storedAt > recordedAt)
      ? storedAt
      : recordedAt;
  }

  /** Writes the recorded uses. Uses whose write fails are dropped, because later uses supersede them. */
  write(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#lastWrite = this.#lastWrite.then(() => this.#writePending());
    return this.#lastWrite;
  }

  async #writePending(): Promise<void> {
    const uses = Array.from(this.#usedAtByKeyId, ([keyId, usedAt]) => ({ keyId, usedAt }));
    this.#usedAtByKeyId = new Map();
    try {
      for (let start = 0; start < uses.length; start += BATCH_MAX) {
        await recordKeyUses(this.#context, uses.slice(start, start + BATCH_MAX));
      }
    } catch (error) {
      this.#context.log.warn({ err: error }, "could not write the last use of keys");
    }
  }
}
