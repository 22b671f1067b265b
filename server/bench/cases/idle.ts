import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { ManualScope } from "../../test/support/scope.ts";
import type { BenchCase } from "../case.ts";
import { signUpMany, startTocsin, startWithSenders } from "../peers/tocsin.ts";
import { startPeer } from "../start-peer.ts";

const OURS = "Tocsin";

/** One synchronous send at a time. */
export const l1: BenchCase = {
  name: "L1",
  what: "one synchronous send to 2 browsers on an idle server",
  figure: "medianMs",
  unit: "ms",
  contenders: [{ name: OURS, kind: "ours", module: "send-and-wait" }],
  async start(scope) {
    const { origin } = await startPeer(scope, "https-sink", { args: ["plain"] });
    const options = { origin, senders: 1, browsersEach: 2 };
    const { url, keys } = await startWithSenders(scope, options);
    return { url, key: keys[0], origin };
  },
  bars: [
    {
      what: "over the push service's own answer",
      of: OURS,
      figure: "overMs",
      atMost: 5,
      unit: "ms",
    },
  ],
};

/** A server without any requests. */
export const i1: BenchCase = {
  name: "I1",
  what: "a server without requests, for a minute",
  figure: "residentMb",
  unit: "MB",
  contenders: [{ name: OURS, kind: "ours", module: "idle" }],
  rounds: 1,
  async start(scope) {
    const server = await startTocsin(scope);
    await signUpMany(server, 1);
    return { pid: server.child.pid };
  },
  bars: [
    { what: "memory", of: OURS, atMost: 150, unit: "MB" },
    { what: "processor", of: OURS, figure: "processorPercent", atMost: 0.5, unit: "%" },
    { what: "written", of: OURS, figure: "writtenKb", atMost: 0, unit: "kB" },
  ],
};

/** A start on the data of an earlier one. */
export const s1: BenchCase = {
  name: "S1",
  what: "from the start of the process to its first 200",
  figure: "startMs",
  unit: "ms",
  contenders: [{ name: OURS, kind: "ours", module: "start", cores: "all" }],
  async start(scope) {
    const dataDir = await temporaryFolder(scope);
    const first = new ManualScope();
    await startTocsin(first, { dataDir });
    await first.end();
    return { dataDir };
  },
  bars: [{ what: "first 200", of: OURS, atMost: 1_500, unit: "ms" }],
};
