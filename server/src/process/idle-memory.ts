import { performance, type EventLoopUtilization } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { loadNative } from "./native.ts";

const MB = 1_048_576;
/** The interval between two looks at whether the process is idle. */
const LOOK_EVERY_MS = 5_000;
/** The process is idle where its event loop was busy for at most this part of the time since the last look. */
const BUSY_MAX = 0.02;
/** Giving back less than this is not worth the collection. */
const SPARE_MIN_MB = 16;
/** A heap of this size is collected in a quarter of a second, which is the longest that a request may have to wait. */
const HEAP_MAX_MB = 128;

/** Measurements and the one action, which tests replace. */
export interface IdleMemoryDeps {
  /** The size of the heap with its free pages. */
  readonly heapMb: () => number;
  /** The part of the time since the last call in which the event loop was busy, 0 to 1. */
  readonly busyPart: () => number;
  readonly giveBack: () => void;
}

/**
 * Gives memory back to the system once the process is idle. V8 keeps the pages of a start or a burst as long as the process
 * lives, because a process that allocates nothing never triggers its collector.
 */
export class IdleMemory {
  readonly #deps: IdleMemoryDeps;
  #leftMb = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: IdleMemoryDeps = OWN) {
    this.#deps = deps;
  }

  /** Starts the timer; it does not keep the process alive. */
  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  /** Gives memory back if the process was idle since the last look and the heap grew since the last time. */
  look(): void {
    const { heapMb, busyPart, giveBack } = this.#deps;
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

const OWN: IdleMemoryDeps = {
  heapMb: () => getHeapStatistics().total_heap_size / MB,
  busyPart: () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  },
  giveBack,
};

/** `malloc_trim(3)` of glibc, whose allocator keeps freed memory. */
const loadTrim = () => loadNative({ malloc_trim: { arguments: ["u64"], return: "i32" } });
let trim: ReturnType<typeof loadTrim> | undefined;

/** Collects all garbage of this thread and returns unused memory, of the heap and outside of it, to the system. */
export function giveBack(): void {
  setFlagsFromString("--expose-gc");
  // The flag affects only contexts made from now on.
  const collect = runInNewContext("gc") as NodeJS.GCFunction;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
  trim ??= loadTrim();
  trim?.functions.malloc_trim(0n);
}
