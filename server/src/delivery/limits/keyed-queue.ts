import { RecentMap } from "#concurrency/recent-map.ts";

interface KeyState {
  last: Promise<unknown>;
  length: number;
  /** Start of the running work, on the monotonic clock. */
  startedAt: number;
}

/** Maximum number of keys whose last duration is remembered. */
const DURATIONS_MAX = 10_000;

/** Runs work for the same key one after another, in the order of the calls. */
export class KeyedQueue {
  readonly #states = new Map<string, KeyState>();
  /** How many milliseconds the last work took, also after its end, because the next work may begin at any time. */
  readonly #lastDurations = new RecentMap<string, number>(DURATIONS_MAX);
  readonly #elapsed: () => number;

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Returns the number of running and waiting calls for a key. */
  getLength(key: string): number {
    return this.#states.get(key)?.length ?? 0;
  }

  /**
   * Returns how many milliseconds work for a key takes: the duration of the running or of the last work, whichever is
   * longer; 0 if there was none.
   */
  getDurationMs(key: string): number {
    const state = this.#states.get(key);
    const runningMs = state === undefined ? 0 : this.#elapsed() - state.startedAt;
    return Math.max(this.#lastDurations.get(key) ?? 0, runningMs);
  }

  /**
   * Returns how many milliseconds another call would wait: as long as the running and waiting calls take. Infinity if
   * no work for the key has ended yet.
   */
  estimateWaitMs(key: string): number {
    const length = this.getLength(key);
    if (length === 0) return 0;
    if (this.#lastDurations.get(key) === undefined) return Number.POSITIVE_INFINITY;
    return length * this.getDurationMs(key);
  }

  /** Runs `work` after all earlier work for the same key. Rejects if `work` rejects. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const state = this.#states.get(key) ?? createKeyState();
    this.#states.set(key, state);
    const begin = (): Promise<T> => {
      state.startedAt = this.#elapsed();
      return work();
    };
    const result = state.length === 0 ? begin() : state.last.then(begin, begin);
    state.last = result;
    state.length += 1;
    const end = (): void => this.#end(key, state);
    // `end` runs before the caller continues, because its handlers were added first.
    result.then(end, end);
    return result;
  }

  #end(key: string, state: KeyState): void {
    state.length -= 1;
    this.#lastDurations.set(key, this.#elapsed() - state.startedAt);
    if (state.length === 0) this.#states.delete(key);
  }
}

function createKeyState(): KeyState {
  return { last: Promise.resolve(), length: 0, startedAt: 0 };
}
