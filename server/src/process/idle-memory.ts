import { performance, type EventLoopUtilization } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { loadNativeFunctions } from "./native.ts";

const MB = 1_048_576;
/** The interval at which the process checks whether it is idle. */
const CHECK_INTERVAL_MS = 5_000;
/** The process is idle if its event loop was busy for at most this share of the time since the last check. */
const IDLE_BUSY_SHARE_MAX = 0.02;
/** The smallest growth of the heap that is worth a collection. */
const GROWTH_MIN_MB = 16;
/**
 * The largest heap to collect. Its collection takes a quarter of a second, which is the longest acceptable delay of a
 * request.
 */
const HEAP_MAX_MB = 128;

/** The measurements of the process, and the release of its memory. Tests replace them. */
export interface IdleMemoryDeps {
  /** Returns the size of the heap, including its free pages. */
  readonly getHeapMb: () => number;
  /** Returns the share of time, from 0 to 1, that the event loop was busy since the last call. */
  readonly measureBusyShare: () => number;
  /** Collects garbage and returns memory. */
  readonly releaseMemory: () => void;
}

/**
 * Returns memory to the system once the process is idle. V8 would keep the pages of startup or of a
 * burst until the process ends, because a process that allocates nothing never triggers its collector.
 */
export class IdleMemory {
  readonly #deps: IdleMemoryDeps;
  #collectedHeapMb = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: IdleMemoryDeps = PROCESS_DEPS) {
    this.#deps = deps;
  }

  /** Starts the timer; it does not keep the process alive. */
  start(): void {
    this.#timer = setInterval(() => this.check(), CHECK_INTERVAL_MS).unref();
  }

  /**
   * Returns memory if the process was idle since the last check and the heap has grown since the last collection. A
   * busy process, or one with a large heap, keeps its memory.
   */
  check(): void {
    const { getHeapMb, measureBusyShare, releaseMemory } = this.#deps;
    const isIdle = measureBusyShare() <= IDLE_BUSY_SHARE_MAX;
    const heapMb = getHeapMb();
    if (!isIdle || heapMb > HEAP_MAX_MB) return;
    if (heapMb < this.#collectedHeapMb + GROWTH_MIN_MB) return;
    releaseMemory();
    this.#collectedHeapMb = getHeapMb();
    // Begins a new period, in which the collection itself does not count as work.
    measureBusyShare();
  }

  /** Stops the timer. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }
}

let lastUtilization: EventLoopUtilization | undefined;

const PROCESS_DEPS: IdleMemoryDeps = {
  getHeapMb: () => getHeapStatistics().total_heap_size / MB,
  measureBusyShare: () => {
    const utilizationNow = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(utilizationNow, lastUtilization);
    lastUtilization = utilizationNow;
    return utilization;
  },
  releaseMemory,
};

/** Loads the function `malloc_trim(3)`, because the allocator of glibc keeps freed memory; null where it is missing. */
const loadMallocTrim = () =>
  loadNativeFunctions({ malloc_trim: { arguments: ["u64"], return: "i32" } });
let mallocTrim: ReturnType<typeof loadMallocTrim> | undefined;

/** Collects all garbage of this thread and returns unused memory, inside and outside of the heap, to the system. */
export function releaseMemory(): void {
  setFlagsFromString("--expose-gc");
  // The flag affects only new contexts.
  const collect = runInNewContext("gc") as NodeJS.GCFunction;
  setFlagsFromString("--no-expose-gc");
  // Otherwise the first request afterwards would compile everything again, which takes up to 25 ms. Bytecode takes 5 MB.
  setFlagsFromString("--no-flush-bytecode");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
  setFlagsFromString("--flush-bytecode");
  mallocTrim ??= loadMallocTrim();
  mallocTrim?.functions.malloc_trim(0n);
}
