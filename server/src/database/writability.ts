export interface WritabilityOptions {
  /** Writes what a small commit needs room for, and leaves nothing behind. */
  readonly probe: () => Promise<void>;
  /** True for an error that says the database cannot be asked or written now. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Counts milliseconds from any moment on, and never jumps. */
  readonly elapsed: () => number;
}

/** A commit that was stored proves for so long that the next one will be. */
const PROVEN_MS = 5_000;
/** A database that took nothing is tried so often at most. */
const PROBE_EVERY_MS = 1_000;

/**
 * Knows whether the database can be written: by what became of the last commit, and where that failed or is long ago by a write of
 * its own, made only when somebody asks. So a server that nobody asks writes nothing, and under load the answer costs nothing.
 */
export class Writability {
  readonly #options: WritabilityOptions;
  /** When something was stored last; null where something else failed since. */
  #provenAt: number | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<boolean> | null = null;

  constructor(options: WritabilityOptions) {
    this.#options = options;
  }

  /** Returns what a commit comes to, and remembers how it ended. */
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

  /** Forgets what was proven, as after a connection that was lost. */
  doubt(): void {
    this.#provenAt = null;
  }

  /** Resolves with whether the next commit would be stored, as far as anybody can say. */
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
