import type { BenchCase } from "../case.ts";

const MODULE = "accept-in-store";
const GROUPED = "group commit";
const SINGLE = "one commit for each";

/** Measures the gain of group commit in the store. */
export const groupCommit: BenchCase = {
  name: "A3",
  title: "notifications accepted into SQLite, 64 at a time, without HTTP",
  figure: "perSecond",
  unit: "notifications/s",
  contenders: [
    { name: GROUPED, kind: "ours", module: MODULE, input: { batchMax: 64 }, cores: "all" },
    { name: SINGLE, kind: "unimproved", module: MODULE, input: { batchMax: 1 }, cores: "all" },
  ],
  start: async () => ({}),
  bars: [
    {
      label: "group commit, compared with one commit for each",
      contender: GROUPED,
      baseline: SINGLE,
      atLeast: 8,
    },
  ],
};
