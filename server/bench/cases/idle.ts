import { join } from "node:path";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { OwnScope } from "../../test/support/scope.ts";
import type { BenchCase } from "../case.ts";
import { addBrowsers } from "../peers/devices.ts";
import { signUpMany, startTocsin } from "../peers/tocsin.ts";
import { startPeer } from "../start-peer.ts";

const OURS = "Tocsin";
const SINK = join(import.meta.dirname, "../peers/https-sink.ts");

function moduleOf(name: string): string {
  return join(import.meta.dirname, `../contenders/${name}.ts`);
}

/** One synchronous send at a time. */
export const l1: BenchCase = {
  name: "L1",
  what: "one synchronous send to 2 browsers on an idle server",
  figure: "medianMs",
  unit: "ms",
  contenders: [{ name: OURS, kind: "ours", module: moduleOf("send-and-wait"), input: {} }],
  async start(scope) {
    const service = await startPeer(scope, SINK, { args: ["plain"] });
    const origin = String(service["origin"]);
    const environment = { TOCSIN_WEBPUSH_ALLOW_ORIGINS: origin };
    const { url } = await startTocsin(scope, { environment });
    const [person] = await signUpMany({ url }, 1);
    if (person === undefined) throw new Error("Nobody signed up.");
    await addBrowsers(person, { origin, count: 2 });
    return { url, key: person.key, origin };
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

/** A server that nobody asks. */
export const i1: BenchCase = {
  name: "I1",
  what: "a server that nobody asks for anything, for a minute",
  figure: "residentMb",
  unit: "MB",
  contenders: [{ name: OURS, kind: "ours", module: moduleOf("idle"), input: {} }],
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

/** A start on what an earlier one left. */
export const s1: BenchCase = {
  name: "S1",
  what: "from the start of the process to its first 200",
  figure: "startMs",
  unit: "ms",
  contenders: [{ name: OURS, kind: "ours", module: moduleOf("start"), input: {}, cores: "all" }],
  async start(scope) {
    const dataDir = await temporaryFolder(scope);
    const first = new OwnScope();
    await startTocsin(first, { dataDir });
    await first.end();
    return { dataDir };
  },
  bars: [{ what: "first 200", of: OURS, atMost: 1_500, unit: "ms" }],
};
