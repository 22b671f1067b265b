import type { Scope } from "../support/scope.ts";
import type { Defect } from "./defect.ts";
import type { Findings } from "./findings.ts";

/** A program that injects faults into servers under load, and then accounts for everything that was accepted. */
export interface Campaign {
  readonly name: string;
  /** The fault, in a few words. */
  readonly fault: string;
  /** How often it is done. */
  readonly rounds: Extent;
  /** How many jobs or devices it is about, where that is one campaign's own. */
  readonly size?: Extent;
  /** The defect that turns it red: a change of the product that breaks the campaign's promise. */
  readonly defect: Defect;
  /** Why it cannot run on this machine; null where it can. */
  readonly obstacle?: () => string | null;
  readonly run: (order: Order) => Promise<Findings>;
}

/** A number for continuous integration, and that for the table of `docs/promises.md`. */
export interface Extent {
  readonly short: number;
  readonly full: number;
}

/** How a campaign is to be run. */
export interface Order {
  readonly rounds: number;
  /** 0 where the campaign has no size of its own. */
  readonly size: number;
  /** Beside others on a busy machine: what is measured in time is judged with patience. */
  readonly isShort: boolean;
  /** The defect in the servers; null where there is none. */
  readonly defect: Defect | null;
  readonly scope: Scope;
  /** Says where it stands, for whoever waits. */
  readonly say: (line: string) => void;
}
