import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { pino } from "pino";
import { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import { signUp, type TestPerson } from "../support/app.ts";
import { idOf } from "../support/log.ts";
import {
  addAndroid,
  addIphone,
  OTHER_TOPIC,
  startNativeApp,
  startNativeServices,
} from "../support/native.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startServerProcess } from "../support/server-process.ts";

const HELLO = { title: "Hello", body: "World" };
const MINUTE = 60_000;

test("messages under way when the server was killed are sent again under the same ids, and shown once", async (t) => {
  const services = await startNativeServices(t);
  const { apns, apnsSandbox, fcm } = services;
  const folder = await temporaryFolder(t);
  const authorities = join(folder, "authorities.pem");
  await writeFile(authorities, [apns.ca, apnsSandbox.ca, fcm.ca].join("\n"));
  const environment = {
    ...services.environment,
    NODE_EXTRA_CA_CERTS: authorities,
    TOCSIN_DATA_DIR: join(folder, "data"),
    TOCSIN_LOG_LEVEL: "fatal",
  };
  const first = await startServerProcess(t, { environment });
  const ann = await signUp({ url: first.url }, "Ann");
  const { iphone } = await addIphone(services, ann);
  const { android } = await addAndroid(services, ann);
  // Both services pass the message on, and the server dies before it hears of that.
  iphone.script({ kind: "hang", delivers: true });
  android.script({ kind: "hang", delivers: true });
  const { notificationId } = await ann.client.notifyAsync(HELLO);
  await Promise.all([iphone.received(1), android.received(1)]);
  await first.kill();

  await startServerProcess(t, { environment });
  const again = await iphone.received(2, { timeoutMs: 20_000 });
  await android.received(2, { timeoutMs: 20_000 });
  const ids = again.map(({ headers }) => [headers["apns-id"], headers["apns-collapse-id"]]);
  assert.deepEqual(ids[0], ids[1]);
  assert.equal(ids[0]?.[1], notificationId);
  assert.deepEqual([iphone.messages.length, iphone.shown.length], [2, 1]);
  assert.deepEqual([android.deliveries.length, android.messages.length], [2, 1]);
});

test("with a clock that is ten minutes ahead, nobody is blamed and the alarm names the clock", async (t) => {
  const lines: string[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => void lines.push(line) });
  const services = await startNativeServices(t);
  const now = () => Date.now() + 10 * MINUTE;
  const app = await startNativeApp(t, { services, now, log });
  const ann = await signUp(app, "Ann");
  await addIphone(app, ann);
  await addAndroid(app, ann);
  const answer = await ann.client.notify(HELLO);
  const { deliveries } = await ann.client.notifications.get(idOf(answer));
  const told = deliveries.map(({ provider, state }) => `${provider} ${state}`);
  assert.deepEqual(told.toSorted(), ["apns held", "fcm held"]);
  const google = deliveries.find(({ provider }) => provider === "fcm");
  assert.match(google?.message ?? "", /clock/);
  const alarms = lines.map((line) => JSON.parse(line));
  const blamed = new Set(alarms.map(({ service }) => service));
  assert.deepEqual(blamed, new Set(["apns production", "fcm"]));
  assert.equal(alarms.length, 2);
  for (const { mend } of alarms) assert.match(mend, /clock/);
  assert.equal((await ann.client.devices.list()).items.length, 2);
});

test("where one of Apple's environments refuses a key, the other goes on", async (t) => {
  const app = await startNativeApp(t);
  const ann = await signUp(app, "Ann");
  const { iphone } = await addIphone(app, ann);
  const sandboxed = await addIphone({ apns: app.apnsSandbox }, ann, "Test phone");
  // It says production, as test builds by mistake do; the sandbox is asked once, and remembered.
  assert.equal((await ann.client.notify(HELLO)).message, "Delivered to 2 of 2 devices");
  assert.equal(app.apns.judged.length, 2);
  const reason = "BadEnvironmentKeyIdInToken";
  app.apns.always({ kind: "answer", status: 403, reason });
  const answer = await ann.client.notify(HELLO);
  assert.equal(answer.message, "Delivered to 1 of 2 devices");
  assert.match(answer.responses[0]?.message ?? "", /BadEnvironmentKeyIdInToken/);
  assert.equal(app.apns.judged.length, 3);
  assert.deepEqual([iphone.messages.length, sandboxed.iphone.messages.length], [1, 2]);
});

test("devices of another app and of another project stop nobody, whoever is tried first", async (t) => {
  let nowMs = Date.now();
  const app = await startNativeApp(t, { now: () => nowMs });
  const ann = await signUp(app, "Ann");
  const foreignIphone = new SimulatedIphone(app.apns, OTHER_TOPIC);
  const foreignAndroid = new SimulatedAndroid(app.fcm, { projectId: "another-project" });
  await registerDevices(ann, { iphone: foreignIphone, android: foreignAndroid });
  const { iphone } = await addIphone(app, ann);
  const { android } = await addAndroid(app, ann);
  for (let count = 1; count <= 3; count += 1) {
    const answer = await ann.client.notify(HELLO);
    assert.equal(answer.message, "Delivered to 2 of 4 devices");
    assert.deepEqual([iphone.messages.length, android.messages.length], [count, count]);
    // Long enough for nothing to speak for the settings any more.
    nowMs += 6 * MINUTE;
  }
  // Between so few, whose fault it is stays open: nobody is removed.
  assert.equal((await ann.client.devices.list()).items.length, 4);
});

async function registerDevices(
  { client }: TestPerson,
  { iphone, android }: { iphone: SimulatedIphone; android: SimulatedAndroid },
): Promise<void> {
  const apns = { provider: "apns", token: iphone.token, environment: "production" } as const;
  await client.devices.create({ name: "Foreign iPhone", platform: "ios", push: apns });
  const fcm = { provider: "fcm", token: android.token } as const;
  await client.devices.create({ name: "Foreign Android", platform: "android", push: fcm });
}
