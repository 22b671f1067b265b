export interface WritabilityOptions {
  /** Uses the space that a small commit needs, and leaves nothing behind. */
  readonly probe: () => Promise<void>;
  /** True for an error that means that the database cannot be read or written now. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** How long a stored commit proves that the next one will be stored. */
const PROVEN_MS = 5_000;
/** Shortest interval between probes of a database that cannot be written. */
const PROBE_INTERVAL_MS = 1_000;

/**
 * Knows whether the database can be written: from its last commit or, if that failed or is too old, from a probe on
 * request. A server without requests therefore writes nothing, and under load the check costs nothing.
 */
export class Writability {
  readonly #options: WritabilityOptions;
  /** Time of the last stored commit; null if another one has failed since. */
  #provenAt: number | null = null;
  #probedAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<boolean> | null = null;

  constructor(options: WritabilityOptions) {
    this.#options = options;
  }

  /** Returns the result of a commit, and records whether it was stored. */
  async watch<T>(commit: Promise<T>): Promise<T> {
    try {
      const result = await commit;
      this.#provenAt = this.#options.elapsed();
      return result;
    } catch (error) {
      if (this.#options.isUnavailable(error)) this.invalidate();
      throw error;
    }
  }

  /** Discards the proof, for example after a lost connection. */
  invalidate(): void {
    this.#provenAt = null;
  }

  /** Resolves with whether the next commit will probably be stored. */
  async isWritable(): Promise<boolean> {
    const now = this.#options.elapsed();
    if (this.#provenAt !== null && now - this.#provenAt < PROVEN_MS) return true;
    if (this.#probing === null && now - this.#probedAt >= PROBE_INTERVAL_MS)
      this.#probing = this.#probe();
    return this.#probing ?? false;
  }

  async #probe(): Promise<boolean> {
    this.#probedAt = this.#options.elapsed();
    try {
      await this.watch(this.#options.probe());
      return true;
    } catch (error) {
      if (this.#options.isUnavailable(error)) return false;
      throw error;
    } finally {
      this.#probing = null;
    }
  }
}
