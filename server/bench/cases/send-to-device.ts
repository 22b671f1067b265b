import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { NewDevice } from "@tocsin/sdk";
import { generateServiceAccount } from "../../test/doubles/fcm/service-account.ts";
import type { Scope } from "../../test/support/scope.ts";
import type { BenchCase } from "../case.ts";
import { createApnsEnvironment } from "../peers/sender.ts";
import { createTarget, signUpMany, startTocsin, startWithSenders } from "../peers/tocsin.ts";
import { startTokenService } from "../peers/token-service.ts";
import { startPeer } from "../start-peer.ts";
import { createCostBar, createReference, startReference, TOCSIN } from "./reference.ts";

const CONNECTION_COUNT = 64;
/** One sender per connection, because a device gets its messages one after the other. */
const SENDER_COUNT = CONNECTION_COUNT;

/** For each kind of phone: starts a push service that accepts everything, and creates the device to register. */
const PHONES = {
  iPhone: {
    startService: async (scope: Scope) => {
      const { origin } = await startPeer(scope, "answering-service", { args: ["plain"] });
      return createApnsEnvironment(origin);
    },
    createDevice: (): NewDevice => ({
      name: "Phone",
      platform: "ios",
      push: {
        provider: "apns",
        token: randomBytes(32).toString("hex"),
        environment: "production",
      },
    }),
  },
  Android: {
    startService: async (scope: Scope) => {
      const body = JSON.stringify({ name: "projects/bench/messages/0:1" });
      const args = ["plain", `--body=${body}`];
      const { origin } = await startPeer(scope, "answering-service", { args });
      return {
        TOCSIN_FCM_CREDENTIALS: generateServiceAccount("bench").credentials,
        TOCSIN_FCM_URL: origin,
        TOCSIN_FCM_TOKEN_URL: await startTokenService(),
      };
    },
    createDevice: (): NewDevice => ({
      name: "Phone",
      platform: "android",
      push: { provider: "fcm", token: randomBytes(80).toString("base64url") },
    }),
  },
} as const;

/** Measures synchronous sends to one iPhone each: accepted, pushed, and the outcome recorded. */
export const sendToIphone = createPhoneCase({
  name: "P1",
  what: `synchronous sends to one iPhone each, over ${CONNECTION_COUNT} connections, one core`,
  platform: "iPhone",
  atMost: 4.8,
});

/** Measures the same sends to Android phones. */
export const sendToAndroid = createPhoneCase({
  name: "P2",
  what: `synchronous sends to one Android phone each, over ${CONNECTION_COUNT} connections, one core`,
  platform: "Android",
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
  readonly platform: keyof typeof PHONES;
  /** The bar: processor time for a send, in requests to bare Fastify. */
  readonly atMost: number;
}

function createPhoneCase({ name, what, platform, atMost }: PhoneCase): BenchCase {
  const { startService, createDevice } = PHONES[platform];
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
      const tocsin = await startTocsin(scope, { environment: await startService(scope) });
      const people = await signUpMany(tocsin, SENDER_COUNT);
      for (const { client } of people) await client.devices.create(createDevice());
      const reference = await startReference(scope);
      return { targets: { ...reference, tocsin: createTarget(tocsin, people) } };
    },
    bars: [createCostBar(atMost)],
  };
}
