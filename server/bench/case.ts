import type { Scope } from "../test/support/scope.ts";
import type { PeerName } from "./programs/program.ts";

/** An implementation that does the work of a case. */
export interface Contender {
  readonly name: string;
  /**
   * `ours` is compared with the others; `unimproved` is our own code with the measured improvement switched off; a
   * `reference` does less work and serves as a yardstick; a `peer` is other software.
   */
  readonly kind: "ours" | "unimproved" | "reference" | "peer";
  /** The file under `contenders/` that does the work in a separate process; see `worker.ts`. */
  readonly module: string;
  /** The input of the module, in addition to the environment of the case. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** `one`, the default, pins the process to one core. */
  readonly cores?: "one" | "all";
  /** The server of another project that does the work. It is measured only if its binary was found. */
  readonly program?: PeerName;
  /** True if the host of its push service is a constant in the program. */
  readonly hasFixedPushHost?: boolean;
  /** The version of the program that is measured. */
  readonly version?: string;
}

/** The paths of the found binaries that a case measures. */
export type Programs = ReadonlyMap<PeerName, string>;

/** A contender's figures of one round. Names end in their unit. */
export type Round = Readonly<Record<string, number>>;

/** A measurement, with its bars. */
export interface BenchCase {
  /** The argument of `npm run bench -- NAME`, and the name in the table of bars. */
  readonly name: string;
  /** The measured work, as a heading of the report. */
  readonly title: string;
  /** The name of the figure by which contenders are compared. */
  readonly figure: string;
  readonly unit: string;
  readonly contenders: readonly Contender[];
  /** Starts the servers that the work needs; they end with the case. */
  start(scope: Scope, programs: Programs): Promise<Readonly<Record<string, unknown>>>;
  readonly bars: readonly Bar[];
  /** The number of rounds, for a case whose rounds take long. */
  readonly rounds?: number;
}

/** A condition on the median of a contender's figure, or of its ratio to another contender's. */
export interface Bar {
  /** The condition, as a row of the report. */
  readonly label: string;
  /** The name of the measured contender. */
  readonly contender: string;
  /** The name of the contender by whose figure the measured figure is divided; without one, the figure itself counts. */
  readonly baseline?: string;
  /** The name of the figure; the case's by default. */
  readonly figure?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly unit?: string;
}
