import type { Scope } from "../support/scope.ts";
import type { Defect } from "./defect.ts";
import type { Findings } from "./findings.ts";

/** Injects faults into servers under load, and then verifies every accepted notification. */
export interface Campaign {
  readonly name: string;
  /** The fault, in a few words. */
  readonly fault: string;
  /** Number of times the fault is injected. */
  readonly rounds: Extent;
  /** Number of jobs or devices, for campaigns that depend on it. */
  readonly size?: Extent;
  /** The changes of the product, each of which breaks a promise and must make the campaign fail. */
  readonly defects: readonly [Defect, ...Defect[]];
  /** Returns why the campaign cannot run on this machine; null if it can. */
  readonly findObstacle?: () => string | null;
  readonly run: (run: RunOptions) => Promise<Findings>;
}

/** A number for continuous integration, and one for the table in `docs/promises.md`. */
export interface Extent {
  readonly short: number;
  readonly full: number;
}

/** Options of one run of a campaign. */
export interface RunOptions {
  readonly rounds: number;
  /** 0 if the campaign has no size. */
  readonly size: number;
  /** True for the short form, which runs next to other tests and has lenient time limits. */
  readonly isShort: boolean;
  /** The defect in the servers; null if there is none. */
  readonly defect: Defect | null;
  readonly scope: Scope;
  /** Shows a line of progress. */
  readonly reportProgress: (line: string) => void;
}
