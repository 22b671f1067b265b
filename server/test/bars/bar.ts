import type { TestContext } from "node:test";
import type { Defect } from "../campaigns/defect.ts";

/** An attack on the server, the tests that make it, and what must turn them red. */
export interface Bar {
  /** As `docs/security.md` names it. */
  readonly id: string;
  readonly attack: string;
  readonly target: string;
  /** The tests, from the root of the repository. */
  readonly files: readonly string[];
  readonly on: "sqlite" | "postgres" | "both";
  /** A change of the product that the tests must notice; null where they make their own. */
  readonly defect: Defect | null;
}

/** Set, the tests of the bars run as large as `docs/security.md` tells. */
export const FULL_VARIABLE = "TOCSIN_TEST_BARS";

/** Returns how large an attack is: small enough for every run of the tests, or in full by `npm run security`. */
export function sizeOf({ short, full }: { readonly short: number; readonly full: number }): number {
  return process.env[FULL_VARIABLE] === "full" ? full : short;
}

/** How a line of a test's output begins that `npm run security` puts into its table. */
export const FIGURE = "figure: ";

/** Tells a figure of a bar to whoever reads the test's output. */
export function tellFigure(test: TestContext, text: string): void {
  test.diagnostic(`${FIGURE}${text}`);
}
