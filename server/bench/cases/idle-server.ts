import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { ManualScope } from "../../test/support/scope.ts";
import type { BenchCase } from "../case.ts";
import { createTarget, signUpMany, startTocsin, startWithSenders } from "../support/tocsin.ts";
import { createIdleContenders, startAll, startOnce } from "../programs/start-found.ts";
import { startProcess } from "../start-process.ts";
import { TOCSIN } from "./reference.ts";

/** Measures one synchronous send at a time. */
export const idleLatency: BenchCase = {
  name: "L1",
  title: "one synchronous send to 2 browsers on an idle server",
  figure: "medianMs",
  unit: "ms",
  contenders: [{ name: TOCSIN, kind: "ours", module: "send-and-wait" }],
  async start(scope) {
    const { origin } = await startProcess(scope, "https-sink", { args: ["plain"] });
    const options = { origin, senderCount: 1, browsersPerSender: 2 };
    const { url, keys } = await startWithSenders(scope, options);
    return { url, key: keys[0], origin };
  },
  bars: [
    {
      label: "over the push service's own answer",
      contender: TOCSIN,
      figure: "overMs",
      atMost: 5,
      unit: "ms",
    },
  ],
};

/** Measures single sends after a pause, in which the process returns memory and discards compiled code. */
export const sendsAfterRest: BenchCase = {
  name: "L1-REST",
  title: "single asynchronous sends 20 ms apart, after a rest of 17 s",
  figure: "medianMs",
  unit: "ms",
  contenders: [{ name: TOCSIN, kind: "ours", module: "send-after-rest" }],
  rounds: 3,
  async start(scope) {
    const server = await startTocsin(scope, { code: "bundle" });
    return { ...createTarget(server, await signUpMany(server, 1)) };
  },
  bars: [{ label: "median", contender: TOCSIN, atMost: 1.5, unit: "ms" }],
};

/** Measures a server without any requests. */
export const idleServer: BenchCase = {
  name: "I1",
  title: "a server without requests, for a minute",
  figure: "residentMb",
  unit: "MB",
  contenders: [
    { name: TOCSIN, kind: "ours", module: "idle", input: { target: TOCSIN } },
    ...createIdleContenders("idle"),
  ],
  rounds: 1,
  async start(scope, programs) {
    const server = await startTocsin(scope, { code: "bundle" });
    await signUpMany(server, 1);
    return { pids: { [TOCSIN]: server.child.pid, ...(await startAll(scope, programs)) } };
  },
  bars: [
    { label: "memory", contender: TOCSIN, atMost: 90, unit: "MB" },
    { label: "processor", contender: TOCSIN, figure: "processorPercent", atMost: 0.05, unit: "%" },
    { label: "written", contender: TOCSIN, figure: "writtenKb", atMost: 0, unit: "kB" },
  ],
};

/** Measures how long a server takes to start on the data folder of an earlier run. */
export const startUp: BenchCase = {
  name: "S1",
  title: "from the start of the process to its first 200",
  figure: "startMs",
  unit: "ms",
  contenders: [
    { name: TOCSIN, kind: "ours", module: "start", cores: "all" },
    ...createIdleContenders("start-program"),
  ],
  async start(scope, programs) {
    const dataDir = await createTemporaryFolder(scope);
    const firstRun = new ManualScope();
    await startTocsin(firstRun, { dataDir, code: "bundle" });
    await firstRun.end();
    return { dataDir, starts: await startOnce(scope, programs) };
  },
  bars: [{ label: "first 200", contender: TOCSIN, atMost: 500, unit: "ms" }],
};
