/** The probe of a database, and the clock. */
export interface WritabilityDeps {
  /** Uses as much space as a few commits, and leaves nothing behind. Rejects if that fails. */
  readonly probe: () => Promise<void>;
  /** Returns whether an error means that the database cannot be read or written now. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** The time for which a stored commit proves that the next one will be stored. */
const PROOF_LIFETIME_MS = 5_000;
/** Shortest interval between probes of a database that cannot be written. */
const PROBE_INTERVAL_MS = 1_000;

/**
 * Tells whether the database can be written: by the last commit or, if that failed or is too old, by a probe. An idle
 * server therefore writes nothing, and under load the check costs nothing.
 */
export class Writability {
  readonly #deps: WritabilityDeps;
  /** Time of the last stored commit; null before the first one, and after a failure. */
  #provenAt: number | null = null;
  #probedAt = Number.NEGATIVE_INFINITY;
  #pendingProbe: Promise<boolean> | null = null;

  constructor(deps: WritabilityDeps) {
    this.#deps = deps;
  }

  /** Returns the result of a commit, and records whether it was stored. */
  async track<T>(commit: Promise<T>): Promise<T> {
    try {
      const result = await commit;
      this.#provenAt = this.#deps.elapsed();
      return result;
    } catch (error) {
      if (this.#deps.isUnavailable(error)) this.invalidate();
      throw error;
    }
  }

  /** Discards the proof of the last commit, for example after a lost connection. */
  invalidate(): void {
    this.#provenAt = null;
  }

  /** Resolves with whether the next commit will probably be stored. */
  async isWritable(): Promise<boolean> {
    const now = this.#deps.elapsed();
    if (this.#provenAt !== null && now - this.#provenAt < PROOF_LIFETIME_MS) return true;
    if (this.#pendingProbe === null && now - this.#probedAt >= PROBE_INTERVAL_MS)
      this.#pendingProbe = this.#probe();
    return this.#pendingProbe ?? false;
  }

  async #probe(): Promise<boolean> {
    this.#probedAt = this.#deps.elapsed();
    try {
      await this.track(this.#deps.probe());
      return true;
    } catch (error) {
      if (this.#deps.isUnavailable(error)) return false;
      throw error;
    } finally {
      this.#pendingProbe = null;
    }
  }
}
