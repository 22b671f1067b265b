import { join } from "node:path";
import type { BenchCase } from "../case.ts";
import { startWithPhones, type Phone } from "../peers/phones.ts";
import { createTarget, startWithSenders } from "../peers/tocsin.ts";
import { startPeer } from "../start-peer.ts";
import { createCostBar, createReference, startReference, TOCSIN } from "./reference.ts";

const CONNECTION_COUNT = 64;
/** One sender per connection, because a device gets its messages one after the other. */
const SENDER_COUNT = CONNECTION_COUNT;

/** Measures synchronous sends to one iPhone each: accepted, pushed, and the outcome recorded. */
export const sendToIphone = createPhoneCase({
  name: "P1",
  what: `synchronous sends to one iPhone each, over ${CONNECTION_COUNT} connections, one core`,
  phone: "iPhone",
  atMost: 4.8,
});

/** Measures the same sends to Android phones. */
export const sendToAndroid = createPhoneCase({
  name: "P2",
  what: `synchronous sends to one Android phone each, over ${CONNECTION_COUNT} connections, one core`,
  phone: "Android",
  atMost: 6.5,
});

/** Measures asynchronous sends to one browser each, until every outcome is recorded. */
export const sendToBrowser: BenchCase = {
  name: "P3",
  what: "asynchronous sends to one browser each, until every outcome is recorded, one core",
  figure: "cpuUs",
  unit: "µs of processor time per send",
  contenders: [
    { name: TOCSIN, kind: "ours", module: "send-and-record" },
    createReference(CONNECTION_COUNT),
  ],
  async start(scope) {
    const { origin } = await startPeer(scope, "https-sink", { args: ["plain"] });
    const options = { origin, senderCount: SENDER_COUNT, browsersPerSender: 1 };
    const { dataDir, ...tocsin } = await startWithSenders(scope, options);
    const databasePath = join(dataDir, "tocsin.db");
    const targets = await startReference(scope);
    return { ...tocsin, databasePath, connections: CONNECTION_COUNT, targets };
  },
  bars: [createCostBar(9.2)],
};

interface PhoneCase {
  readonly name: string;
  readonly what: string;
  readonly phone: Phone;
  /** The bar: processor time for a send, in requests to bare Fastify. */
  readonly atMost: number;
}

function createPhoneCase({ name, what, phone, atMost }: PhoneCase): BenchCase {
  return {
    name,
    what,
    figure: "cpuUs",
    unit: "µs of processor time per send",
    contenders: [
      {
        name: TOCSIN,
        kind: "ours",
        module: "send",
        input: { target: "tocsin", connections: CONNECTION_COUNT, path: "/api/v1/notify" },
      },
      createReference(CONNECTION_COUNT),
    ],
    async start(scope) {
      const { tocsin, people } = await startWithPhones(scope, { phone, senderCount: SENDER_COUNT });
      const reference = await startReference(scope);
      return { targets: { ...reference, tocsin: createTarget(tocsin, people) } };
    },
    bars: [createCostBar(atMost)],
  };
}
