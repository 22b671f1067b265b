import { join } from "node:path";
import type { Scope } from "../../test/support/scope.ts";
import type { BenchCase } from "../case.ts";
import { fillWithPeople } from "../peers/crowd.ts";
import { addBrowsers } from "../peers/devices.ts";
import { signUpMany, startTocsin } from "../peers/tocsin.ts";
import { startPeer } from "../start-peer.ts";

const LOAD = join(import.meta.dirname, "../contenders/send.ts");
const SINK = join(import.meta.dirname, "../peers/https-sink.ts");
const FEW = 20_000;
const MANY = 2_000_000;
const SENDERS = 20;
const DEVICES_EACH = 3;
const CONNECTIONS = 16;

/** The whole way of a notification, where few and where very many devices are stored. */
export const g1: BenchCase = {
  name: "G1",
  what: `synchronous sends to ${DEVICES_EACH} browsers, with so many devices stored`,
  figure: "cpuUs",
  unit: "µs of processor for a send",
  contenders: [FEW, MANY].map((devices) => ({
    name: nameOf(devices),
    kind: "ours",
    module: LOAD,
    input: { target: String(devices), connections: CONNECTIONS, path: "/api/v1/notify" },
  })),
  async start(scope) {
    const service = await startPeer(scope, SINK, { args: ["plain"] });
    const origin = String(service["origin"]);
    const [few, many] = [await stage(scope, origin, FEW), await stage(scope, origin, MANY)];
    return { targets: { [FEW]: few, [MANY]: many } };
  },
  bars: [{ what: "cost, of that with few", of: nameOf(MANY), to: nameOf(FEW), atMost: 1.3 }],
};

function nameOf(devices: number): string {
  return `${devices.toLocaleString("en")} devices`;
}

/** A server with so many devices of others, and some people who send. */
async function stage(scope: Scope, origin: string, devices: number) {
  const environment = { TOCSIN_WEBPUSH_ALLOW_ORIGINS: origin };
  const { url, child, dataDir } = await startTocsin(scope, { environment });
  const people = await signUpMany({ url }, SENDERS);
  for (const person of people) await addBrowsers(person, { origin, count: DEVICES_EACH });
  fillWithPeople(join(dataDir, "tocsin.db"), devices);
  return { url, pid: child.pid, keys: people.map(({ key }) => key) };
}
