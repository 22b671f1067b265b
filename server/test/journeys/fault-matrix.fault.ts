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
import { play } from "./fault-run.ts";
import type { Kind } from "./fault-run.ts";
import { FaultStage } from "./fault-stage.ts";

/** Plays every row in turn and compares all that was seen with the table. */
async function playAll<Phone>(
  t: TestContext,
  { kind, rows }: { readonly kind: Kind<Phone>; readonly rows: readonly FaultRow<Phone>[] },
): Promise<void> {
  const stage = await FaultStage.start(t);
  const phone = kind.make(stage.world, stage.applicationServerKey);
  const well = await kind.register(stage, phone);
  const found: Record<string, unknown> = {};
  const demanded: Record<string, unknown> = {};
  const texts: string[] = [];
  for (const row of rows) {
    const { behaviour, comesTo, leastWaitMs = 0 } = row;
    const seen = await play({ stage, kind, well }, row);
    found[behaviour] = { ...seen.ending, isPatient: (seen.firstWaitMs ?? 0) >= leastWaitMs };
    demanded[behaviour] = { ...comesTo, isPatient: true };
    texts.push(...seen.texts);
  }
  assert.deepEqual(found, demanded);
  assert.equal(Object.keys(found).length, rows.length, "every row has a name of its own");
  assert.equal(await stage.jobs(), 0, "nothing is owed any more");
  const written = [...stage.logLines, ...texts].join("\n");
  assert.match(written, /"cause":"credentials"/u, "the log tells of refused credentials");
  assert.deepEqual(
    [...SECRETS, ...kind.secretsOf(stage.world)].filter((secret) => written.includes(secret)),
    [],
  );
}

/** Texts of messages, and the beginnings of keys and tokens. */
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

const IPHONE: Kind<SimulatedIphone> = {
  make: ({ apns }) => new SimulatedIphone(apns),
  register: async (stage, { token }, accountId) => {
    const push = { provider: "apns", token, environment: "production" } as const;
    if (accountId === undefined) return stage.addDevice("ios", push);
    return stage.register({ accountId, platform: "ios", push });
  },
  requestsFor: ({ apns, apnsSandbox }, { token }) =>
    [...apns.judged, ...apnsSandbox.judged].filter(({ path }) => path.endsWith(token)).length,
  shownOn: ({ shown }) => shown.length,
  secretsOf: ({ apns, apnsSandbox }) =>
    [...apns.judged, ...apnsSandbox.judged].map(({ path }) => path.slice(-64)),
};

const ANDROID: Kind<SimulatedAndroid> = {
  make: ({ fcm }) => new SimulatedAndroid(fcm),
  register: async (stage, { token }, accountId) => {
    const push = { provider: "fcm", token } as const;
    if (accountId === undefined) return stage.addDevice("android", push);
    return stage.register({ accountId, platform: "android", push });
  },
  requestsFor: (_world, { judged }) => judged.length,
  shownOn: ({ messages }) => messages.length,
  secretsOf: ({ fcm }) =>
    fcm.judged.map(({ body }) => {
      const { message }: { readonly message: { readonly token: string } } = JSON.parse(
        String(body),
      );
      return message.token;
    }),
};

const BROWSER: Kind<SimulatedDevice> = {
  make: ({ push }, applicationServerKey) => new SimulatedDevice(push, applicationServerKey),
  register: async (stage, { subscription }, accountId) => {
    const push = { provider: "webpush", ...subscription } as const;
    if (accountId === undefined) return stage.addDevice("web", push);
    return stage.register({ accountId, platform: "web", push });
  },
  requestsFor: (_world, { judged }) => judged.length,
  shownOn: ({ messages }) => new Set(messages.map(({ text }) => tagOf(text))).size,
  secretsOf: ({ push }) => push.judged.map(({ path }) => path.slice(1)),
};

/** Browsers show what has the same tag in place of what came before. */
function tagOf(text: string): unknown {
  const { notification }: { readonly notification: { readonly tag: unknown } } = JSON.parse(text);
  return notification.tag;
}

test("every fault on the way to an iPhone ends as the table says", async (t) => {
  await playAll(t, { kind: IPHONE, rows: APNS_ROWS });
});

test("every fault on the way to an Android phone ends as the table says", async (t) => {
  await playAll(t, { kind: ANDROID, rows: FCM_ROWS });
});

test("every fault on the way to a browser ends as the table says", async (t) => {
  await playAll(t, { kind: BROWSER, rows: WEB_PUSH_ROWS });
});
