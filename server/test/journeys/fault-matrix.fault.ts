import assert from "node:assert/strict";
import test from "node:test";
import type { TestContext } from "node:test";
import { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { APNS_ROWS } from "./fault-behaviours-apns.ts";
import { FCM_ROWS } from "./fault-behaviours-fcm.ts";
import { WEB_PUSH_ROWS } from "./fault-behaviours-webpush.ts";
import type { FaultRow } from "./fault-row.ts";
import { runRow } from "./fault-run.ts";
import type { PhoneKind } from "./fault-run.ts";
import { FaultStage } from "./fault-stage.ts";

/** Runs every row in turn and compares all observations with the table. */
async function runAllRows<Phone>(
  t: TestContext,
  { kind, rows }: { readonly kind: PhoneKind<Phone>; readonly rows: readonly FaultRow<Phone>[] },
): Promise<void> {
  const stage = await FaultStage.start(t);
  const phone = kind.createPhone(stage.world, stage.applicationServerKey);
  const healthyDevice = await kind.register(stage, phone);
  const observed: Record<string, unknown> = {};
  const expectedOutcomes: Record<string, unknown> = {};
  const texts: string[] = [];
  for (const row of rows) {
    const { behaviour, expected, waitMinMs = 0 } = row;
    const observation = await runRow({ stage, kind, healthyDevice }, row);
    observed[behaviour] = {
      ...observation.ending,
      hasWaited: (observation.firstWaitMs ?? 0) >= waitMinMs,
    };
    expectedOutcomes[behaviour] = { ...expected, hasWaited: true };
    texts.push(...observation.texts);
  }
  assert.deepEqual(observed, expectedOutcomes);
  assert.equal(Object.keys(observed).length, rows.length, "each row has a unique name");
  assert.equal(await stage.jobs(), 0, "no job is left");
  const output = [...stage.logLines, ...texts].join("\n");
  assert.match(output, /"cause":"credentials"/u, "the log reports refused credentials");
  assert.deepEqual(
    [...SECRETS, ...kind.listSecrets(stage.world)].filter((secret) => output.includes(secret)),
    [],
  );
}

/** Message texts, and prefixes of keys and tokens. */
const SECRETS = [
  "Canary",
  "canary",
  "eyJ",
  "ya29.",
  "PRIVATE KEY",
  "bearer ",
  "Bearer ",
  "vapid t=",
];

const IPHONE: PhoneKind<SimulatedIphone> = {
  createPhone: ({ apns }) => new SimulatedIphone(apns),
  register: async (stage, { token }, accountId) => {
    const push = { provider: "apns", token, environment: "production" } as const;
    if (accountId === undefined) return stage.addDevice("ios", push);
    return stage.register({ accountId, platform: "ios", push });
  },
  countRequests: ({ apns, apnsSandbox }, { token }) =>
    [...apns.judged, ...apnsSandbox.judged].filter(({ path }) => path.endsWith(token)).length,
  countShown: ({ shown }) => shown.length,
  listSecrets: ({ apns, apnsSandbox }) =>
    [...apns.judged, ...apnsSandbox.judged].map(({ path }) => path.slice(-64)),
};

const ANDROID: PhoneKind<SimulatedAndroid> = {
  createPhone: ({ fcm }) => new SimulatedAndroid(fcm),
  register: async (stage, { token }, accountId) => {
    const push = { provider: "fcm", token } as const;
    if (accountId === undefined) return stage.addDevice("android", push);
    return stage.register({ accountId, platform: "android", push });
  },
  countRequests: (_world, { judged }) => judged.length,
  countShown: ({ messages }) => messages.length,
  listSecrets: ({ fcm }) =>
    fcm.judged.map(({ body }) => {
      const { message }: { readonly message: { readonly token: string } } = JSON.parse(
        String(body),
      );
      return message.token;
    }),
};

const BROWSER: PhoneKind<SimulatedDevice> = {
  createPhone: ({ push }, applicationServerKey) => new SimulatedDevice(push, applicationServerKey),
  register: async (stage, { subscription }, accountId) => {
    const push = { provider: "webpush", ...subscription } as const;
    if (accountId === undefined) return stage.addDevice("web", push);
    return stage.register({ accountId, platform: "web", push });
  },
  countRequests: (_world, { judged }) => judged.length,
  countShown: ({ messages }) => new Set(messages.map(({ text }) => tagOf(text))).size,
  listSecrets: ({ push }) => push.judged.map(({ path }) => path.slice(1)),
};

/** Returns the tag: a browser replaces a shown notification by the next with the same tag. */
function tagOf(text: string): unknown {
  const { notification }: { readonly notification: { readonly tag: unknown } } = JSON.parse(text);
  return notification.tag;
}

test("every fault in deliveries to an iPhone has the expected outcome", async (t) => {
  await runAllRows(t, { kind: IPHONE, rows: APNS_ROWS });
});

test("every fault in deliveries to an Android phone has the expected outcome", async (t) => {
  await runAllRows(t, { kind: ANDROID, rows: FCM_ROWS });
});

test("every fault in deliveries to a browser has the expected outcome", async (t) => {
  await runAllRows(t, { kind: BROWSER, rows: WEB_PUSH_ROWS });
});
