import type { BenchCase } from "../case.ts";
import { startWithSenders } from "../peers/tocsin.ts";
import { startPeer } from "../start-peer.ts";

const OURS = "Tocsin";
const SENDERS = 20;
const BROWSERS_EACH = 3;

/** Ten minutes at half load. */
export const soak: BenchCase = {
  name: "SOAK",
  what: `ten minutes of synchronous sends to ${BROWSERS_EACH} browsers at half of the server's capacity`,
  figure: "lateMb",
  unit: "MB",
  contenders: [{ name: OURS, kind: "ours", module: "soak" }],
  rounds: 1,
  async start(scope) {
    const { origin } = await startPeer(scope, "https-sink", { args: ["plain"] });
    const options = { origin, senders: SENDERS, browsersEach: BROWSERS_EACH };
    return { ...(await startWithSenders(scope, options)) };
  },
  bars: [
    {
      what: "memory late, of that early",
      of: OURS,
      figure: "growthPart",
      atMost: 1.1,
      unit: "times",
    },
    { what: "more descriptors late", of: OURS, figure: "moreDescriptors", atMost: 3 },
    { what: "p99 late, of that early", of: OURS, figure: "p99Part", atMost: 1.5, unit: "times" },
  ],
};
