import type { Scope } from "../test/support/scope.ts";

/** One who does the work of a case. */
export interface Contender {
  readonly name: string;
  /** `ours` is judged against the others; a `ceiling` is what the machine allows; a `peer` is what others ship. */
  readonly kind: "ours" | "way back" | "ceiling" | "peer";
  /** The file under `contenders/` that does it in a process of its own; see `worker.ts`. */
  readonly module: string;
  /** What it is told beside the place. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Work for all cores is not bound to one. */
  readonly cores?: "one" | "all";
}

/** What one round of one contender came to: figures by their names, which say their units. */
export type Round = Readonly<Record<string, number>>;

/** What is measured, and what must come of it. */
export interface BenchCase {
  /** As `npm run bench -- NAME` takes it, and as the table of bars names it. */
  readonly name: string;
  readonly what: string;
  /** The figure by which contenders are compared. */
  readonly figure: string;
  readonly unit: string;
  readonly contenders: readonly Contender[];
  /** Starts what the work is done against; it ends with the case. */
  start(scope: Scope): Promise<Readonly<Record<string, unknown>>>;
  readonly bars: readonly Bar[];
  /** Where one round takes long. */
  readonly rounds?: number;
}

/** What must hold of the medians: of a figure of one contender, or of its ratio to another's. */
export interface Bar {
  readonly what: string;
  readonly of: string;
  readonly to?: string;
  /** That of the case if not given. */
  readonly figure?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly unit?: string;
}
