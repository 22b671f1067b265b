import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { makeProviderKey } from "../doubles/apns/provider-key.ts";
import type { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import { ask, send } from "../contract/ask.ts";
import { addDevice, signUp, type TestPerson } from "../support/app.ts";
import { idOf, isOver, recordOnce, statesOf } from "../support/log.ts";
import {
  addAndroid,
  addIphone,
  startNativeApp,
  startNativeServices,
  type NativeApp,
} from "../support/native.ts";
import { startOwnTime } from "../support/own-time.ts";
import { NODES } from "../support/several-nodes.ts";

const HELLO = { title: "Hello", body: "World" };
const IPHONES = 3;
const ALONE = { skip: NODES > 1 && "It counts what one process asks." };
/** Pino's number of the level. */
const ERROR = 50;
const MINUTE = 60_000;
/** Much more than a busy machine needs to answer. */
const SYNC_WAIT_MS = 20_000;

function listen() {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const errors = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= ERROR);
  return { errors, log: pino({ level: "info" }, { write }) };
}

/** A key that Apple never saw, under the id of the one that it knows: a file that was mixed up. */
const WRONG_KEY = { TOCSIN_APNS_KEY: makeProviderKey().privateKey };

async function addDevices(app: NativeApp, ann: TestPerson) {
  const iphones: SimulatedIphone[] = [];
  for (let count = 1; count <= IPHONES; count += 1) {
    iphones.push((await addIphone(app, ann, `iPhone ${count}`)).iphone);
  }
  const { android } = await addAndroid(app, ann);
  const { phone: browser } = await addDevice(app, ann, "Browser");
  return { iphones, android, browser };
}

async function heldServices({ url }: NativeApp): Promise<readonly string[]> {
  const { text } = await send(url, { path: "/metrics" });
  return text.split("\n").filter((line) => /^tocsin_push_services_held\{.*\} [1-9]/.test(line));
}

async function checkHeld(ann: TestPerson, id: string): Promise<void> {
  const record = await ann.client.notifications.get(id);
  const told = record.deliveries.filter(({ provider }) => provider === "apns");
  assert.equal(told.length, IPHONES);
  for (const { state, code, attempts, message } of told) {
    assert.deepEqual([state, code, attempts], ["held", "provider_misconfigured", 0]);
    const words =
      /^This server's APNs credentials were refused \(.*InvalidProviderToken.*\)\. The message is kept until \d{4}-/;
    assert.match(message ?? "", words);
  }
}

test("with a wrong APNs key, iPhones are held and say so, all others are reached at full speed, and nobody is pruned", async (t) => {
  const { errors, log } = listen();
  const services = await startNativeServices(t);
  const environment = { ...WRONG_KEY, TOCSIN_SYNC_WAIT_MS: String(SYNC_WAIT_MS) };
  const app = await startNativeApp(t, { services, log, environment });
  const ann = await signUp(app, "Ann");
  const { iphones, android, browser } = await addDevices(app, ann);
  const ids: string[] = [];
  for (let count = 0; count < 10; count += 1) {
    const ownMs = startOwnTime();
    const answer = await ann.client.notify(HELLO);
    // A caller is not kept waiting for what cannot go out.
    const tookMs = ownMs();
    assert.ok(tookMs < SYNC_WAIT_MS / 2, `${tookMs} ms`);
    assert.equal(answer.message, "Delivered to 2 of 5 devices");
    assert.match(answer.responses[0]?.message ?? "", /^Queued\. This server's APNs credentials/);
    ids.push(idOf(answer));
  }
  assert.deepEqual([android.messages.length, browser.messages.length], [10, 10]);
  for (const id of ids) await checkHeld(ann, id);
  const { items } = await ann.client.devices.list();
  assert.equal(items.length, IPHONES + 2);
  assert.equal((await ask(app.url, { path: "/readyz" })).text, '{"status":"ready"}');
  const gauge = 'tocsin_push_services_held{provider="apns",cause="credentials"} 1';
  assert.deepEqual(await heldServices(app), [gauge]);
  const alarms = errors();
  // Each process finds out by itself, and alarms once.
  assert.ok(alarms.length >= 1 && alarms.length <= NODES, `${alarms.length} alarms`);
  assert.equal(alarms[0].service, "apns production");
  assert.match(alarms[0].mend, /TOCSIN_APNS_KEY/);
  // Apple was not bothered for each of the thirty.
  assert.ok(app.apns.judged.length <= 3 * NODES, `${app.apns.judged.length} refused requests`);

  await app.app.stop();
  // Requests that Apple refused were received as well.
  const owed = iphones.map((iphone) => ({ iphone, count: iphone.judged.length + 10 }));
  const mended = await startNativeApp(t, { services, dataDir: app.dataDir, push: app.push });
  for (const { iphone, count } of owed) await iphone.received(count, { timeoutMs: 10_000 });
  for (const iphone of iphones) assert.equal(iphone.shown.length, 10);
  assert.deepEqual(await heldServices(mended), []);
});

test(
  "a key that Apple accepts again heals without a restart, by one message that asks",
  ALONE,
  async (t) => {
    let nowMs = Date.now();
    const now = () => nowMs;
    const { errors, log } = listen();
    const app = await startNativeApp(t, { log, now });
    const ann = await signUp(app, "Ann");
    const { iphones } = await addDevices(app, ann);
    // As while Apple does not know a key that was just made.
    app.apns.always({ kind: "answer", status: 403, reason: "InvalidProviderToken" });
    const held = idOf(await ann.client.notify(HELLO));
    await checkHeld(ann, held);
    app.apns.always(null);
    const refused = app.apns.judged.length;
    nowMs += 4 * MINUTE;
    await ann.client.notify(HELLO);
    assert.equal(app.apns.judged.length, refused);
    nowMs += MINUTE;
    await ann.client.notify(HELLO);
    for (const iphone of iphones) await iphone.received(3, { timeoutMs: 10_000 });
    for (const iphone of iphones) assert.equal(iphone.shown.length, 3);
    const record = await recordOnce(ann.client, held, isOver);
    assert.deepEqual([...new Set(statesOf(record))], ["accepted"]);
    assert.equal(errors().length, 1);
    assert.deepEqual(await heldServices(app), []);
  },
);
