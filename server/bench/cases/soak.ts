import type { BenchCase } from "../case.ts";
import { startWithSenders } from "../support/tocsin.ts";
import { startProcess } from "../start-process.ts";
import { TOCSIN } from "./reference.ts";

const SENDER_COUNT = 20;
const BROWSERS_PER_SENDER = 3;

/** Measures ten minutes at half load. */
export const soak: BenchCase = {
  name: "SOAK",
  title: `ten minutes of synchronous sends to ${BROWSERS_PER_SENDER} browsers at half of the server's capacity`,
  figure: "lateMb",
  unit: "MB",
  contenders: [{ name: TOCSIN, kind: "ours", module: "soak" }],
  rounds: 1,
  async start(scope) {
    const { origin } = await startProcess(scope, "https-sink", { args: ["plain"] });
    const options = { origin, senderCount: SENDER_COUNT, browsersPerSender: BROWSERS_PER_SENDER };
    return { ...(await startWithSenders(scope, options)) };
  },
  bars: [
    {
      label: "memory late, compared with early",
      contender: TOCSIN,
      figure: "memoryRatio",
      atMost: 1.1,
      unit: "times",
    },
    { label: "more descriptors late", contender: TOCSIN, figure: "moreDescriptors", atMost: 3 },
    {
      label: "p99 late, compared with early",
      contender: TOCSIN,
      figure: "p99Ratio",
      atMost: 1.5,
      unit: "times",
    },
  ],
};
