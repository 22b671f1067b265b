import { join } from "node:path";
import type { Scope } from "../../test/support/scope.ts";
import type { BenchCase } from "../case.ts";
import { addOtherAccountsDevices } from "../support/fill-database.ts";
import { startWithSenders } from "../support/tocsin.ts";
import { startProcess } from "../start-process.ts";

const FEW_DEVICES = 20_000;
const MANY_DEVICES = 2_000_000;
const SENDER_COUNT = 20;
const BROWSERS_PER_SENDER = 3;
const CONNECTION_COUNT = 16;

/** Measures a notification end to end, with few and with many devices stored. */
export const deviceCount: BenchCase = {
  name: "G1",
  title: `synchronous sends to ${BROWSERS_PER_SENDER} browsers, by number of stored devices`,
  figure: "cpuUs",
  unit: "µs of processor time per send",
  contenders: [FEW_DEVICES, MANY_DEVICES].map((devices) => ({
    name: formatContenderName(devices),
    kind: "ours",
    module: "send",
    input: { target: String(devices), connections: CONNECTION_COUNT, path: "/api/v1/notify" },
  })),
  async start(scope) {
    const { origin } = await startProcess(scope, "https-sink", { args: ["plain"] });
    const few = await startTarget(scope, origin, FEW_DEVICES);
    const many = await startTarget(scope, origin, MANY_DEVICES);
    return { targets: { [FEW_DEVICES]: few, [MANY_DEVICES]: many } };
  },
  bars: [
    {
      label: "cost, compared with few devices",
      contender: formatContenderName(MANY_DEVICES),
      baseline: formatContenderName(FEW_DEVICES),
      atMost: 1.3,
    },
  ],
};

function formatContenderName(devices: number): string {
  return `${devices.toLocaleString("en")} devices`;
}

/** Starts a server with senders, and with this many devices of other accounts. */
async function startTarget(scope: Scope, origin: string, devices: number) {
  const options = { origin, senderCount: SENDER_COUNT, browsersPerSender: BROWSERS_PER_SENDER };
  const { dataDir, ...target } = await startWithSenders(scope, options);
  addOtherAccountsDevices(join(dataDir, "tocsin.db"), devices);
  return target;
}
