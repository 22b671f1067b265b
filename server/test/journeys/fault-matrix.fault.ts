import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { APNS_ROWS } from "./fault-behaviours-apns.ts";
import { FCM_ROWS } from "./fault-behaviours-fcm.ts";
import { WEB_PUSH_ROWS } from "./fault-behaviours-webpush.ts";
import type { FaultRow } from "./fault-row.ts";
import { runRow, type PhoneKind } from "./fault-run.ts";
import { FaultFixture } from "./fault-fixture.ts";

/** Runs every row in turn and compares all observations with the table. */
async function runAllRows<Phone>(
  t: TestContext,
  { kind, rows }: { readonly kind: PhoneKind<Phone>; readonly rows: readonly FaultRow<Phone>[] },
): Promise<void> {
  const fixture = await FaultFixture.start(t);
  const phone = kind.createPhone(fixture.services, fixture.applicationServerKey);
  const healthyDevice = await kind.register(fixture, phone);
  const observed: Record<string, unknown> = {};
  const expectedOutcomes: Record<string, unknown> = {};
  const texts: string[] = [];
  for (const row of rows) {
    const { behaviour, expected, waitMinMs = 0 } = row;
    const observation = await runRow({ fixture, kind, healthyDevice }, row);
    observed[behaviour] = {
      ...observation.effects,
      hasWaited: (observation.firstWaitMs ?? 0) >= waitMinMs,
    };
    expectedOutcomes[behaviour] = { ...expected, hasWaited: true };
    texts.push(...observation.texts);
  }
  assert.deepEqual(observed, expectedOutcomes);
  assert.equal(Object.keys(observed).length, rows.length, "each row has a unique name");
  assert.equal(await fixture.countJobs(), 0, "no job is left");
  const output = [...fixture.logLines, ...texts].join("\n");
  assert.match(output, /"cause":"credentials"/u, "the log reports refused credentials");
  assert.deepEqual(
    [...SECRETS, ...kind.listSecrets(fixture.services)].filter((secret) => output.includes(secret)),
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
  register: async (fixture, { token }, accountId) => {
    const push = { provider: "apns", token, environment: "production" } as const;
    if (accountId === undefined) return fixture.addDevice("ios", push);
    return fixture.register({ accountId, platform: "ios", push });
  },
  countRequests: ({ apns, apnsSandbox }, { token }) =>
    [...apns.requests, ...apnsSandbox.requests].filter(({ path }) => path.endsWith(token)).length,
  countShown: ({ shownMessages }) => shownMessages.length,
  listSecrets: ({ apns, apnsSandbox }) =>
    [...apns.requests, ...apnsSandbox.requests].map(({ path }) => path.slice(-64)),
};

const ANDROID: PhoneKind<SimulatedAndroid> = {
  createPhone: ({ fcm }) => new SimulatedAndroid(fcm),
  register: async (fixture, { token }, accountId) => {
    const push = { provider: "fcm", token } as const;
    if (accountId === undefined) return fixture.addDevice("android", push);
    return fixture.register({ accountId, platform: "android", push });
  },
  countRequests: (_services, { requests }) => requests.length,
  countShown: ({ messages }) => messages.length,
  listSecrets: ({ fcm }) =>
    fcm.requests.map(({ body }) => {
      const { message }: { readonly message: { readonly token: string } } = JSON.parse(
        String(body),
      );
      return message.token;
    }),
};

const BROWSER: PhoneKind<SimulatedDevice> = {
  createPhone: ({ push }, applicationServerKey) => new SimulatedDevice(push, applicationServerKey),
  register: async (fixture, { subscription }, accountId) => {
    const push = { provider: "webpush", ...subscription } as const;
    if (accountId === undefined) return fixture.addDevice("web", push);
    return fixture.register({ accountId, platform: "web", push });
  },
  countRequests: (_services, { requests }) => requests.length,
  countShown: ({ messages }) =>
    new Set(messages.map(({ text }) => parseNotificationTag(text))).size,
  listSecrets: ({ push }) => push.requests.map(({ path }) => path.slice(1)),
};

/** Returns the tag: a browser replaces a shown notification by the next with the same tag. */
function parseNotificationTag(text: string): unknown {
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
