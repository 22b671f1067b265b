import type { Scope } from "../test/support/scope.ts";

/** A participant that does the work of a case. */
export interface Contender {
  readonly name: string;
  /** `ours` is judged against the others; a `ceiling` is the limit of the machine; a `peer` is other software. */
  readonly kind: "ours" | "way back" | "ceiling" | "peer";
  /** The file under `contenders/` that does the work in a process of its own; see `worker.ts`. */
  readonly module: string;
  /** Its input, beside the environment of the case. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Work for all cores is not pinned to one. */
  readonly cores?: "one" | "all";
}

/** The figures of one round of one contender, by names that contain their units. */
export type Round = Readonly<Record<string, number>>;

/** A measurement, with its bars. */
export interface BenchCase {
  /** The argument of `npm run bench -- NAME`, and the name in the table of bars. */
  readonly name: string;
  readonly what: string;
  /** The figure by which contenders are compared. */
  readonly figure: string;
  readonly unit: string;
  readonly contenders: readonly Contender[];
  /** Starts the servers that the work needs; they end with the case. */
  start(scope: Scope): Promise<Readonly<Record<string, unknown>>>;
  readonly bars: readonly Bar[];
  /** Set if one round takes long. */
  readonly rounds?: number;
}

/** A condition on medians: of a figure of one contender, or of its ratio to another's. */
export interface Bar {
  readonly what: string;
  readonly of: string;
  readonly to?: string;
  /** By default that of the case. */
  readonly figure?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly unit?: string;
}
