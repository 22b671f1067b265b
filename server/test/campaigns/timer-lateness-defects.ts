import type { Defect } from "./defect.ts";

const WORKER = "timers/worker.ts";

/** Mistakes with which every timer still fires, but late. */
export const LATENESS_DEFECTS: readonly [Defect, ...Defect[]] = [
  {
    mistake: "due timers are read ten seconds apart, and not when the next one is due",
    file: WORKER,
    replace: "    let waitMs: number | null;",
    by: `    await new Promise((resolve) => setTimeout(resolve, 10_000));
    let waitMs: number | null;`,
    breaks: /late: p99/,
  },
  {
    mistake: "a timer keeps its permit for as long as an attempt at a push may take",
    file: WORKER,
    replace: "      await handler({ timer, lateMs });",
    by: `      await handler({ timer, lateMs });
      await new Promise((resolve) => setTimeout(resolve, 10_000));`,
    breaks: /late: p99/,
  },
];
