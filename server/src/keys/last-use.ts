import type { Context } from "#context.ts";
import { writeLastUses, type LastUse } from "./store/last-use.ts";

/** Delay from the first unwritten use to the write. The last use of a key is written at most once per interval. */
const WRITE_INTERVAL_MS = 60_000;

/** Maximum number of keys whose last use is not written yet. Uses of further keys are dropped. */
const USED_KEYS_MAX = 100_000;

/** Maximum number of last uses per commit, so that commits of sends never wait long. */
const BATCH_MAX = 500;

/** Records the last use of each key outside the request path. Writes nothing while no key is used. */
export class LastUseRecorder {
  readonly #context: Context;
  /** The last uses that are not written yet. */
  readonly #usedAtByKeyId = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #lastWrite: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Records in memory that the key is used now. A later write stores the use. */
  record(keyId: string): void {
    if (this.#usedAtByKeyId.size >= USED_KEYS_MAX && !this.#usedAtByKeyId.has(keyId)) return;
    this.#usedAtByKeyId.set(keyId, this.#context.now());
    this.#scheduleWrite();
  }

  /** Returns the time of the last use, be it `storedAt` or one not written yet; null if the key was never used. */
  getLastUsedAt(keyId: string, storedAt: number | null): number | null {
    const recordedAt = this.#usedAtByKeyId.get(keyId) ?? null;
    return recordedAt === null || (storedAt !== null && storedAt > recordedAt)
      ? storedAt
      : recordedAt;
  }

  /** Writes the recorded uses. If that fails, keeps them for a write one interval later. Never rejects. */
  write(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#lastWrite = this.#lastWrite.then(() => this.#writePending());
    return this.#lastWrite;
  }

  /** Writes the recorded uses one last time. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.write();
  }

  #scheduleWrite(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => void this.write(), WRITE_INTERVAL_MS).unref();
  }

  async #writePending(): Promise<void> {
    const uses = Array.from(this.#usedAtByKeyId, ([keyId, usedAt]) => ({ keyId, usedAt }));
    try {
      for (let start = 0; start < uses.length; start += BATCH_MAX) {
        const batch = uses.slice(start, start + BATCH_MAX);
        await writeLastUses(this.#context, batch);
        this.#removeWritten(batch);
      }
    } catch (error) {
      this.#context.log.warn(
        { err: error },
        "could not write the last use of keys; it is written later",
      );
      this.#scheduleWrite();
    }
  }

  /** Removes the written uses. Keeps a use that was recorded during the write. */
  #removeWritten(uses: readonly LastUse[]): void {
    for (const { keyId, usedAt } of uses) {
      if (this.#usedAtByKeyId.get(keyId) === usedAt) this.#usedAtByKeyId.delete(keyId);
    }
  }
}
