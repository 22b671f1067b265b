import { join } from "node:path";
import type { Scope } from "../../test/support/scope.ts";
import type { BenchCase } from "../case.ts";
import { fillWithPeople } from "../peers/fill-database.ts";
import { startWithSenders } from "../peers/tocsin.ts";
import { startPeer } from "../start-peer.ts";

const FEW = 20_000;
const MANY = 2_000_000;
const SENDERS = 20;
const BROWSERS_EACH = 3;
const CONNECTIONS = 16;

/** A notification end to end, with few and with many devices stored. */
export const g1: BenchCase = {
  name: "G1",
  what: `synchronous sends to ${BROWSERS_EACH} browsers, with so many devices stored`,
  figure: "cpuUs",
  unit: "µs of processor for a send",
  contenders: [FEW, MANY].map((devices) => ({
    name: contenderName(devices),
    kind: "ours",
    module: "send",
    input: { target: String(devices), connections: CONNECTIONS, path: "/api/v1/notify" },
  })),
  async start(scope) {
    const { origin } = await startPeer(scope, "https-sink", { args: ["plain"] });
    const [few, many] = [
      await startTarget(scope, origin, FEW),
      await startTarget(scope, origin, MANY),
    ];
    return { targets: { [FEW]: few, [MANY]: many } };
  },
  bars: [
    {
      what: "cost, of that with few",
      of: contenderName(MANY),
      to: contenderName(FEW),
      atMost: 1.3,
    },
  ],
};

function contenderName(devices: number): string {
  return `${devices.toLocaleString("en")} devices`;
}

/** Starts a server with senders, and with this many devices of other accounts. */
async function startTarget(scope: Scope, origin: string, devices: number) {
  const options = { origin, senders: SENDERS, browsersEach: BROWSERS_EACH };
  const { dataDir, ...target } = await startWithSenders(scope, options);
  fillWithPeople(join(dataDir, "tocsin.db"), devices);
  return target;
}
