/** One who does the work of a case. */
export interface Contender {
  readonly name: string;
  /** `ours` is judged against the others; a `ceiling` is what the machine allows; a `peer` is what others ship. */
  readonly kind: "ours" | "way back" | "ceiling" | "peer";
  /** The module that does it in a process of its own, and what it is told; see `worker.ts`. */
  readonly module: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What is measured, and what must come of it. */
export interface BenchCase {
  /** As `npm run bench -- NAME` takes it. */
  readonly name: string;
  readonly what: string;
  readonly unit: string;
  readonly contenders: readonly Contender[];
  /** Starts what the work is done against; it is stopped after the case. */
  start(scope: BenchScope): Promise<Readonly<Record<string, unknown>>>;
  /** Each is a ratio of two medians. */
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly of: string;
  readonly to: string;
  readonly atLeast: number;
}

/** Ends what was started. */
export interface BenchScope {
  after(end: () => Promise<unknown>): void;
}

/** What one round of one contender came to. */
export interface Round {
  readonly perSecond: number;
  /** Processor time of its process for each piece of work, in microseconds. */
  readonly cpuUs: number;
}
