import { performance, type EventLoopUtilization } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { loadNative } from "./native.ts";

const MB = 1_048_576;
/** How often is looked whether the process rests. */
const LOOK_EVERY_MS = 5_000;
/** It rests where its event loop was busy for no more than this part of the time since the look before. */
const BUSY_MAX = 0.02;
/** Less than this is not worth it. */
const SPARE_MIN_MB = 16;
/** A heap of this size is cleared in a quarter of a second: whoever asks meanwhile waits no longer. */
const HEAP_MAX_MB = 128;

/** What is looked at and done; tests stand in for it. */
export interface SpareMemoryParts {
  /** Of the heap, with what is kept for later. */
  readonly heapMb: () => number;
  /** Which part of the time since the last question the event loop was busy, 0 to 1. */
  readonly busyPart: () => number;
  readonly giveBack: () => void;
}

/**
 * Gives memory back once the process rests. V8 would keep what a start or a burst needed as long as the process lives: it takes one
 * that allocates nothing for one whose allocations it knows nothing of.
 */
export class SpareMemory {
  readonly #parts: SpareMemoryParts;
  #leftMb = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: SpareMemoryParts = OWN) {
    this.#parts = parts;
  }

  /** Begins to look. */
  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  /** Gives back what is spare, where the process has rested since the look before. */
  look(): void {
    const { heapMb, busyPart, giveBack } = this.#parts;
    const isResting = busyPart() <= BUSY_MAX;
    const sizeMb = heapMb();
    if (!isResting || sizeMb > HEAP_MAX_MB || sizeMb < this.#leftMb + SPARE_MIN_MB) return;
    giveBack();
    this.#leftMb = heapMb();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }
}

let before: EventLoopUtilization | undefined;

const OWN: SpareMemoryParts = {
  heapMb: () => getHeapStatistics().total_heap_size / MB,
  busyPart: () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  },
  giveBack,
};

/** `malloc_trim(3)` of glibc, the one allocator that keeps for later what was freed. */
const loadTrim = () => loadNative({ malloc_trim: { arguments: ["u64"], return: "i32" } });
let trim: ReturnType<typeof loadTrim> | undefined;

/** Collects all garbage of this thread, and returns to the system what neither its heap nor what is outside of heaps needs. */
export function giveBack(): void {
  setFlagsFromString("--expose-gc");
  // Only a context that is made from here on has it.
  const collect = runInNewContext("gc") as NodeJS.GCFunction;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
  trim ??= loadTrim();
  trim?.functions.malloc_trim(0n);
}
