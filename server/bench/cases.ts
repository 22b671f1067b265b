import type { BenchCase } from "./case.ts";
import { a1, a2 } from "./cases/accept.ts";
import { a3 } from "./cases/a3.ts";
import { d1, fcm } from "./cases/d1.ts";
import { d2, d2Posted } from "./cases/d2.ts";
import { d3 } from "./cases/d3.ts";
import { g1 } from "./cases/g1.ts";
import { i1, l1, s1 } from "./cases/idle.ts";
import { soak } from "./cases/soak.ts";

/** All cases, in the order of the bars. */
export const CASES: readonly BenchCase[] = [
  a1,
  a2,
  a3,
  d1,
  fcm,
  d2,
  d2Posted,
  d3,
  l1,
  i1,
  s1,
  g1,
  soak,
];
