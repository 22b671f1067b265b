import type { TestContext } from "node:test";
import type { Defect } from "../campaigns/defect.ts";

/** An attack on the server, the tests that run the attack, and a defect that must make these tests fail. */
export interface Bar {
  /** The id of the attack in `docs/security.md`. */
  readonly id: string;
  readonly attack: string;
  readonly target: string;
  /** Paths of the tests, from the root of the repository. */
  readonly files: readonly string[];
  readonly database: "sqlite" | "postgres" | "both";
  /** A change of the product that the tests must detect; null if they use defects defined in the tests. */
  readonly defect: Defect | null;
}

/** Environment variable: `full` runs the attacks at the size that `docs/security.md` reports. */
export const FULL_VARIABLE = "TOCSIN_TEST_BARS";

/** Returns the size of an attack: the short one in every test run, the full one in `npm run security`. */
export function chooseSize({
  short,
  full,
}: {
  readonly short: number;
  readonly full: number;
}): number {
  return process.env[FULL_VARIABLE] === "full" ? full : short;
}

/** Prefix of the output lines that `npm run security` copies into its table. */
export const FIGURE_PREFIX = "figure: ";

/** Prints a figure of a bar into the test's output. */
export function reportFigure(test: TestContext, text: string): void {
  test.diagnostic(`${FIGURE_PREFIX}${text}`);
}
