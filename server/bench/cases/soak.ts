import { join } from "node:path";
import type { BenchCase } from "../case.ts";
import { addBrowsers } from "../peers/devices.ts";
import { signUpMany, startTocsin } from "../peers/tocsin.ts";
import { startPeer } from "../start-peer.ts";

const OURS = "Tocsin";
const SENDERS = 20;
const DEVICES_EACH = 3;

/** Ten minutes at half load. */
export const soak: BenchCase = {
  name: "SOAK",
  what: `ten minutes of synchronous sends to ${DEVICES_EACH} browsers at half of what the server takes`,
  figure: "lateMb",
  unit: "MB",
  contenders: [
    {
      name: OURS,
      kind: "ours",
      module: join(import.meta.dirname, "../contenders/soak.ts"),
      input: {},
    },
  ],
  rounds: 1,
  async start(scope) {
    const service = await startPeer(scope, join(import.meta.dirname, "../peers/https-sink.ts"), {
      args: ["plain"],
    });
    const origin = String(service["origin"]);
    const environment = { TOCSIN_WEBPUSH_ALLOW_ORIGINS: origin };
    const { url, child } = await startTocsin(scope, { environment });
    const people = await signUpMany({ url }, SENDERS);
    for (const person of people) await addBrowsers(person, { origin, count: DEVICES_EACH });
    return { url, pid: child.pid, keys: people.map(({ key }) => key) };
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
