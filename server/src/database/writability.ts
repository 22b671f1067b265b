export interface WritabilityOptions {
  /** Takes the space that a small commit needs, and leaves nothing behind. */
  readonly probe: () => Promise<void>;
  /** True for an error that means that the database cannot be read or written now. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** Time for which a stored commit proves that the next one will be stored. */
const PROVEN_MS = 5_000;
/** Shortest interval of probes of a database that takes nothing. */
const PROBE_EVERY_MS = 1_000;

/**
 * Knows whether the database can be written: from its last commit or, if that failed or is long ago, from a write of
 * its own, made only on request. So a server without requests writes nothing, and under load the answer costs nothing.
 */
export class Writability {
  readonly #options: WritabilityOptions;
  /** Time of the last stored commit; null if another one failed since. */
  #provenAt: number | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<boolean> | null = null;

  constructor(options: WritabilityOptions) {
    this.#options = options;
  }

  /** Returns the result of a commit, and records how it ended. */
  async watch<T>(commit: Promise<T>): Promise<T> {
    try {
      const result = await commit;
      this.#provenAt = this.#options.elapsed();
      return result;
    } catch (error) {
      if (this.#options.isUnavailable(error)) this.doubt();
      throw error;
    }
  }

  /** Forgets the proof, as after a lost connection. */
  doubt(): void {
    this.#provenAt = null;
  }

  /** Resolves with whether the next commit would be stored, as far as can be known. */
  async isGiven(): Promise<boolean> {
    const now = this.#options.elapsed();
    if (this.#provenAt !== null && now - this.#provenAt < PROVEN_MS) return true;
    if (this.#probing === null && now - this.#triedAt >= PROBE_EVERY_MS)
      this.#probing = this.#probe();
    return this.#probing ?? false;
  }

  async #probe(): Promise<boolean> {
    this.#triedAt = this.#options.elapsed();
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
