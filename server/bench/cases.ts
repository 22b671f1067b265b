import type { BenchCase } from "./case.ts";
import { a1, a2 } from "./cases/accept.ts";
import { d1 } from "./cases/d1.ts";

/** All cases, in the order of the bars. */
export const CASES: readonly BenchCase[] = [a1, a2, d1];
