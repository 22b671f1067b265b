import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Bar, BenchCase } from "../case.ts";
import { startWithPhones, type Phone } from "../support/start-with-phones.ts";
import { createTarget, startWithSenders } from "../support/tocsin.ts";
import { startProcess } from "../start-process.ts";
import { createBarkTarget } from "../programs/bark.ts";
import { createGorushApnsTarget, createGorushFcmTarget } from "../programs/gorush.ts";
import { startPushHosts } from "../programs/push-hosts.ts";
import {
  createPeerContenders,
  startTargets,
  type PeerTargetFactories,
} from "../programs/start-found.ts";
import { createCostBar, createReference, startReference, TOCSIN } from "./reference.ts";

const CONNECTION_COUNT = 64;
/** One sender per connection, because a device gets its messages one after another. */
const SENDER_COUNT = CONNECTION_COUNT;
const APNS_TOKENS = Array.from({ length: SENDER_COUNT }, () => randomBytes(32).toString("hex"));
const FCM_TOKENS = APNS_TOKENS.map(() => randomBytes(80).toString("base64url"));
/** The response of FCM to a message that it accepts. */
const FCM_RESPONSE = JSON.stringify({ name: "projects/bench/messages/0:1" });

/** Measures synchronous sends, each sender to its own iPhone: accepted, pushed, and the outcome recorded. */
export const sendToIphone = createPhoneCase({
  name: "P1",
  title: `synchronous sends to one iPhone each, over ${CONNECTION_COUNT} connections, one core`,
  phone: "iPhone",
  peers: {
    gorush: (server) => createGorushApnsTarget(server, APNS_TOKENS),
    Bark: (server) => createBarkTarget(server, APNS_TOKENS),
  },
  response: "",
  bars: [createCostBar(4.8), createRateBar("gorush", 1), createRateBar("Bark", 0.8)],
});

/** Measures the same sends to Android phones. */
export const sendToAndroid = createPhoneCase({
  name: "P2",
  title: `synchronous sends to one Android phone each, over ${CONNECTION_COUNT} connections, one core`,
  phone: "Android",
  peers: { gorush: (server) => createGorushFcmTarget(server, FCM_TOKENS) },
  response: FCM_RESPONSE,
  bars: [createCostBar(6.5), createRateBar("gorush", 1)],
});

/** Measures asynchronous sends, each sender to its own browser, until every outcome is recorded. */
export const sendToBrowser: BenchCase = {
  name: "P3",
  title: "asynchronous sends to one browser each, until every outcome is recorded, one core",
  figure: "cpuUs",
  unit: "µs of processor time per send",
  contenders: [
    { name: TOCSIN, kind: "ours", module: "send-and-record" },
    createReference(CONNECTION_COUNT),
  ],
  async start(scope) {
    const { origin } = await startProcess(scope, "https-sink", { args: ["plain"] });
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
  readonly title: string;
  readonly phone: Phone;
  /** The servers of other projects that send to the same phones and respond with the result. */
  readonly peers: PeerTargetFactories;
  /** The body of the responses that these servers get from the fake push service. */
  readonly response: string;
  readonly bars: readonly Bar[];
}

function createPhoneCase({ name, title, phone, peers, response, bars }: PhoneCase): BenchCase {
  return {
    name,
    title,
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
      ...createPeerContenders(peers, {
        module: "send",
        input: { connections: CONNECTION_COUNT },
        hasFixedPushHost: true,
      }),
    ],
    async start(scope, programs) {
      const { tocsin, people } = await startWithPhones(scope, { phone, senderCount: SENDER_COUNT });
      const reference = await startReference(scope);
      const pushHosts = programs.size === 0 ? null : await startPushHosts(scope, response);
      const peerTargets = await startTargets(scope, peers, { programs, pushHosts });
      return { targets: { ...reference, tocsin: createTarget(tocsin, people), ...peerTargets } };
    },
    bars,
  };
}

function createRateBar(peer: string, atLeast: number): Bar {
  const label = `rate, compared with ${peer}`;
  return { label, contender: TOCSIN, baseline: peer, figure: "perSecond", atLeast };
}
