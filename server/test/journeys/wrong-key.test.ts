import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { generateProviderKey } from "../doubles/apns/provider-key.ts";
import type { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import { requestJson, send } from "../contract/http-requests.ts";
import { addDevice, signUp, type TestPerson } from "../support/app.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
  listDeliveryStates,
} from "../support/notification-records.ts";
import {
  addAndroid,
  addIphone,
  startNativeApp,
  startNativeServices,
  type NativeApp,
} from "../support/native-app.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";
import { NODE_COUNT } from "../support/nodes-behind-balancer.ts";

const HELLO = { title: "Hello", body: "World" };
const IPHONES = 3;
const ONE_PROCESS = { skip: NODE_COUNT > 1 && "This test counts the requests of one process." };
/** Pino's number for the error level. */
const ERROR_LEVEL = 50;
const MINUTE_MS = 60_000;
/** Much longer than a busy machine needs to respond. */
const SYNC_WAIT_MS = 20_000;

function collectLog() {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const listErrors = () =>
    lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= ERROR_LEVEL);
  return { listErrors, log: pino({ level: "info" }, { write }) };
}

/** A key that Apple does not know under the id of a known one, like a mixed-up file. */
const WRONG_KEY = { TOCSIN_APNS_KEY: generateProviderKey().privateKey };

async function addDevices(app: NativeApp, ann: TestPerson) {
  const iphones: SimulatedIphone[] = [];
  for (let count = 1; count <= IPHONES; count += 1) {
    iphones.push((await addIphone(app, ann, `iPhone ${count}`)).iphone);
  }
  const { android } = await addAndroid(app, ann);
  const { phone: browser } = await addDevice(app, ann, "Browser");
  return { iphones, android, browser };
}

async function listHeldServices({ url }: NativeApp): Promise<readonly string[]> {
  const { text } = await send(url, { path: "/metrics" });
  return text.split("\n").filter((line) => /^tocsin_push_services_held\{.*\} [1-9]/.test(line));
}

async function assertHeld(ann: TestPerson, id: string): Promise<void> {
  const record = await ann.client.notifications.get(id);
  const deliveries = record.deliveries.filter(({ provider }) => provider === "apns");
  assert.equal(deliveries.length, IPHONES);
  for (const { state, code, attempts, message } of deliveries) {
    assert.deepEqual([state, code, attempts], ["held", "provider_misconfigured", 0]);
    const expected =
      /^This server's APNs credentials were refused \(.*InvalidProviderToken.*\)\. The message is kept until \d{4}-/;
    assert.match(message ?? "", expected);
  }
}

test("a wrong APNs key holds only deliveries to iPhones, and removes no device", async (t) => {
  const { listErrors, log } = collectLog();
  const services = await startNativeServices(t);
  const environment = { ...WRONG_KEY, TOCSIN_SYNC_WAIT_MS: String(SYNC_WAIT_MS) };
  const app = await startNativeApp(t, { services, log, environment });
  const ann = await signUp(app, "Ann");
  const { iphones, android, browser } = await addDevices(app, ann);
  const ids: string[] = [];
  for (let count = 0; count < 10; count += 1) {
    const readElapsedMs = startStealFreeTimer();
    const response = await ann.client.notify(HELLO);
    // A caller does not wait for deliveries to a held service.
    const durationMs = readElapsedMs();
    assert.ok(durationMs < SYNC_WAIT_MS / 2, `${durationMs} ms`);
    assert.equal(response.message, "Delivered to 2 of 5 devices");
    assert.match(response.responses[0]?.message ?? "", /^Queued\. This server's APNs credentials/);
    ids.push(getNotificationId(response));
  }
  assert.deepEqual([android.messages.length, browser.messages.length], [10, 10]);
  for (const id of ids) await assertHeld(ann, id);
  const { items } = await ann.client.devices.list();
  assert.equal(items.length, IPHONES + 2);
  assert.equal((await requestJson(app.url, { path: "/readyz" })).text, '{"status":"ready"}');
  const heldGauge = 'tocsin_push_services_held{provider="apns",cause="credentials"} 1';
  assert.deepEqual(await listHeldServices(app), [heldGauge]);
  const loggedErrors = listErrors();
  // Each process detects the wrong key by itself and logs one error.
  assert.ok(
    loggedErrors.length >= 1 && loggedErrors.length <= NODE_COUNT,
    `${loggedErrors.length} errors`,
  );
  assert.equal(loggedErrors[0].service, "apns production");
  assert.match(loggedErrors[0].mend, /TOCSIN_APNS_KEY/);
  // Apple got far fewer requests than the thirty deliveries.
  assert.ok(
    app.apns.requests.length <= 3 * NODE_COUNT,
    `${app.apns.requests.length} refused requests`,
  );

  await app.app.stop();
  // The count includes requests that Apple refused.
  const expectedCounts = iphones.map((iphone) => ({ iphone, count: iphone.requests.length + 10 }));
  const repaired = await startNativeApp(t, { services, dataDir: app.dataDir, push: app.push });
  for (const { iphone, count } of expectedCounts)
    await iphone.waitForRequests(count, { timeoutMs: 10_000 });
  for (const iphone of iphones) assert.equal(iphone.shownMessages.length, 10);
  assert.deepEqual(await listHeldServices(repaired), []);
});

test(
  "a key that Apple accepts again is used without a restart, five minutes after the refusal",
  ONE_PROCESS,
  async (t) => {
    let nowMs = Date.now();
    const now = () => nowMs;
    const { listErrors, log } = collectLog();
    const app = await startNativeApp(t, { log, now });
    const ann = await signUp(app, "Ann");
    const { iphones } = await addDevices(app, ann);
    // Apple may not know a new key for a while.
    app.apns.setDefaultScript({ kind: "answer", status: 403, reason: "InvalidProviderToken" });
    const heldId = getNotificationId(await ann.client.notify(HELLO));
    await assertHeld(ann, heldId);
    app.apns.setDefaultScript(null);
    const refusedCount = app.apns.requests.length;
    nowMs += 4 * MINUTE_MS;
    await ann.client.notify(HELLO);
    assert.equal(app.apns.requests.length, refusedCount);
    nowMs += MINUTE_MS;
    await ann.client.notify(HELLO);
    for (const iphone of iphones) await iphone.waitForRequests(3, { timeoutMs: 10_000 });
    for (const iphone of iphones) assert.equal(iphone.shownMessages.length, 3);
    const record = await waitForRecord(ann.client, heldId, areDeliveriesFinished);
    assert.deepEqual([...new Set(listDeliveryStates(record))], ["accepted"]);
    assert.equal(listErrors().length, 1);
    assert.deepEqual(await listHeldServices(app), []);
  },
);
