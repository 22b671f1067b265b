import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { idOf, isOver, recordOnce, statesOf } from "../support/log.ts";
import { startOwnTime } from "../support/own-time.ts";

const HELLO = { title: "Hello", body: "World" };
const unavailable = { kind: "answer", status: 503 } as const;

test("a failure that passes is tried again, and the caller is told not to send again", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script(unavailable);
  const answer = await ann.client.notify(HELLO);
  assert.equal(answer.success, true);
  assert.equal(answer.message, "Accepted; 0 of 1 delivered so far, 1 queued");
  assert.match(answer.responses[0]?.message ?? "", /^Queued\. .*Retrying at \d{4}-/);
  await phone.next();
  const record = await recordOnce(ann.client, idOf(answer), isOver);
  assert.deepEqual(statesOf(record), ["accepted"]);
  assert.equal(record.deliveries[0]?.attempts, 2);
});

test("the wait that a push service asks for is kept", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script({ kind: "answer", status: 429, headers: { "retry-after": "2" } });
  const sentAt = Date.now();
  const answer = await ann.client.notify(HELLO);
  assert.match(answer.responses[0]?.message ?? "", /^Queued\. The push service asked us to slow/);
  await phone.next();
  assert.ok(Date.now() - sentAt >= 2_000);
});

test("a device that is gone is retired, and the next send does not try it", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const [gone, there] = [await addDevice(app, ann, "Gone"), await addDevice(app, ann, "There")];
  gone.phone.unsubscribe();
  const first = await ann.client.notify(HELLO);
  assert.equal(first.message, "Delivered to 1 of 2 devices");
  assert.deepEqual(first.responses[0], {
    success: false,
    message: "The device is no longer registered. It has been removed.",
  });
  const second = await ann.client.notify(HELLO);
  assert.equal(second.message, "Delivered to 1 of 1 device");
  const { items } = await ann.client.devices.list();
  assert.deepEqual(
    items.map(({ id }) => id),
    [there.device.id],
  );
  const record = await ann.client.notifications.get(idOf(first));
  assert.deepEqual(
    new Map(record.deliveries.map(({ deviceName, state }) => [deviceName, state])),
    new Map([
      ["Gone", "gone"],
      ["There", "accepted"],
    ]),
  );
});

test("a device that registers again while it is called gone is kept, and reached", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  const registered = Promise.withResolvers<void>();
  phone.script({ kind: "answer", status: 410, after: registered.promise });
  const sending = ann.client.notify(HELLO);
  await phone.received(1);
  const { endpoint, keys } = phone.subscription;
  const push = { provider: "webpush", endpoint, keys } as const;
  await ann.client.devices.create({ name: "Phone", platform: "web", push });
  registered.resolve();
  const answer = await sending;
  await phone.next();
  const record = await recordOnce(ann.client, idOf(answer), isOver);
  assert.deepEqual(statesOf(record), ["accepted"]);
  assert.equal((await ann.client.devices.list()).items[0]?.id, device.id);
});

test("a message that would come too late is not sent, and says why", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script({ kind: "answer", status: 429, headers: { "retry-after": "30" } });
  const answer = await ann.client.notify(HELLO, { ttlSeconds: 10 });
  assert.equal(answer.success, false);
  assert.match(answer.responses[0]?.message ?? "", /^Not delivered before it expired/);
  assert.equal(phone.judged.length, 1);
});

test("a paused device is left alone, and says so", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  await ann.client.devices.update(device.id, { paused: true });
  const answer = await ann.client.notify(HELLO);
  assert.match(answer.responses[0]?.message ?? "", /^Paused by its owner/);
  assert.equal(phone.judged.length, 0);
  await ann.client.devices.update(device.id, { paused: false });
  assert.equal((await ann.client.notify(HELLO)).success, true);
});

test("a slow push service holds nobody up: the answer comes in time, the result later", async (t) => {
  const app = await startApp(t, { environment: { TOCSIN_SYNC_WAIT_MS: "300" } });
  const ann = await signUp(app, "Ann");
  const [slow, quick] = [await addDevice(app, ann, "Slow"), await addDevice(app, ann, "Quick")];
  const held = Promise.withResolvers<void>();
  slow.phone.script({ kind: "verdict", after: held.promise });
  const ownMs = startOwnTime();
  const answer = await ann.client.notify(HELLO);
  assert.ok(ownMs() < 2_000);
  assert.equal(answer.message, "Delivered to 1 of 2 devices");
  assert.deepEqual(answer.responses[0], {
    success: false,
    message: "Queued. The first attempt has not finished yet.",
  });
  assert.equal(quick.phone.messages.length, 1);
  held.resolve();
  const record = await recordOnce(ann.client, idOf(answer), isOver);
  assert.deepEqual(statesOf(record), ["accepted", "accepted"]);
});

test("removing a device cancels what is queued for it", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  phone.script(unavailable, unavailable);
  const answer = await ann.client.notify(HELLO);
  await ann.client.devices.remove(device.id);
  const record = await recordOnce(ann.client, idOf(answer), isOver);
  assert.deepEqual(statesOf(record), ["cancelled"]);
  assert.equal(phone.judged.length, 1);
});

test("a delivery that a stopped server owed is sent by the next one", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script(unavailable);
  const answer = await ann.client.notify(HELLO);
  await app.app.stop();
  assert.equal(phone.messages.length, 0);
  const { dataDir, push } = app;
  const next = await startApp(t, { dataDir, push });
  await phone.next();
  const again = await signUp(next, "Bob");
  assert.equal(phone.messages.length, 1);
  assert.equal((await again.client.feed.list()).items.length, 0);
  assert.match(idOf(answer), /^[0-9a-f-]{36}$/);
});

test("a second to live is enough for a first attempt", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const { message } = await ann.client.notify(HELLO, { ttlSeconds: 1 });
  assert.equal(message, "Delivered to 1 of 1 device");
  assert.equal((await phone.next()).ttlSeconds, 1);
});
