import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
  listDeliveryStates,
} from "../support/notification-records.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";

const HELLO = { title: "Hello", body: "World" };
const UNAVAILABLE = { kind: "answer", status: 503 } as const;

test("a transient failure is retried, and the response says that the send is queued", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script(UNAVAILABLE);
  const response = await ann.client.notify(HELLO);
  assert.equal(response.success, true);
  assert.equal(response.message, "Accepted; 0 of 1 delivered so far, 1 queued");
  assert.match(response.responses[0]?.message ?? "", /^Queued\. .*Retrying at \d{4}-/);
  await phone.next();
  const record = await waitForRecord(
    ann.client,
    getNotificationId(response),
    areDeliveriesFinished,
  );
  assert.deepEqual(listDeliveryStates(record), ["accepted"]);
  assert.equal(record.deliveries[0]?.attempts, 2);
});

test("a push service's Retry-After is respected", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script({ kind: "answer", status: 429, headers: { "retry-after": "2" } });
  const sentAt = Date.now();
  const response = await ann.client.notify(HELLO);
  assert.match(response.responses[0]?.message ?? "", /^Queued\. The push service asked us to slow/);
  await phone.next();
  assert.ok(Date.now() - sentAt >= 2_000);
});

test("an unsubscribed device is retired, and the next send skips it", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const goneDevice = await addDevice(app, ann, "Gone");
  const activeDevice = await addDevice(app, ann, "Active");
  goneDevice.phone.unsubscribe();
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
    [activeDevice.device.id],
  );
  const record = await ann.client.notifications.get(getNotificationId(first));
  assert.deepEqual(
    new Map(record.deliveries.map(({ deviceName, state }) => [deviceName, state])),
    new Map([
      ["Gone", "gone"],
      ["Active", "accepted"],
    ]),
  );
});

test("a device that registers again during a 410 response is kept and reached", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  const registration = Promise.withResolvers<void>();
  phone.script({ kind: "answer", status: 410, after: registration.promise });
  const sending = ann.client.notify(HELLO);
  await phone.waitForRequests(1);
  const { endpoint, keys } = phone.subscription;
  const push = { provider: "webpush", endpoint, keys } as const;
  await ann.client.devices.create({ name: "Phone", platform: "web", push });
  registration.resolve();
  const response = await sending;
  await phone.next();
  const record = await waitForRecord(
    ann.client,
    getNotificationId(response),
    areDeliveriesFinished,
  );
  assert.deepEqual(listDeliveryStates(record), ["accepted"]);
  assert.equal((await ann.client.devices.list()).items[0]?.id, device.id);
});

test("a retry after the expiry is not sent, and the response says why", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script({ kind: "answer", status: 429, headers: { "retry-after": "30" } });
  const response = await ann.client.notify(HELLO, { ttlSeconds: 10 });
  assert.equal(response.success, false);
  assert.match(response.responses[0]?.message ?? "", /^Not delivered before it expired/);
  assert.equal(phone.requests.length, 1);
});

test("a paused device gets no push, and the response says why", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  await ann.client.devices.update(device.id, { paused: true });
  const response = await ann.client.notify(HELLO);
  assert.match(response.responses[0]?.message ?? "", /^Paused by its owner/);
  assert.equal(phone.requests.length, 0);
  await ann.client.devices.update(device.id, { paused: false });
  assert.equal((await ann.client.notify(HELLO)).success, true);
});

test("a slow push service does not delay the response; its result is recorded later", async (t) => {
  const app = await startApp(t, { environment: { TOCSIN_SYNC_WAIT_MS: "300" } });
  const ann = await signUp(app, "Ann");
  const slowDevice = await addDevice(app, ann, "Slow");
  const quickDevice = await addDevice(app, ann, "Quick");
  const slowResponse = Promise.withResolvers<void>();
  slowDevice.phone.script({ kind: "verdict", after: slowResponse.promise });
  const readElapsedMs = startStealFreeTimer();
  const response = await ann.client.notify(HELLO);
  assert.ok(readElapsedMs() < 2_000);
  assert.equal(response.message, "Delivered to 1 of 2 devices");
  assert.deepEqual(response.responses[0], {
    success: false,
    message: "Queued. The first attempt has not finished yet.",
  });
  assert.equal(quickDevice.phone.messages.length, 1);
  slowResponse.resolve();
  const record = await waitForRecord(
    ann.client,
    getNotificationId(response),
    areDeliveriesFinished,
  );
  assert.deepEqual(listDeliveryStates(record), ["accepted", "accepted"]);
});

test("removing a device cancels its queued deliveries", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  phone.script(UNAVAILABLE, UNAVAILABLE);
  const response = await ann.client.notify(HELLO);
  await ann.client.devices.remove(device.id);
  const record = await waitForRecord(
    ann.client,
    getNotificationId(response),
    areDeliveriesFinished,
  );
  assert.deepEqual(listDeliveryStates(record), ["cancelled"]);
  assert.equal(phone.requests.length, 1);
});

test("deliveries that are pending when the server stops are sent after it starts again", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script(UNAVAILABLE);
  const response = await ann.client.notify(HELLO);
  await app.app.stop();
  assert.equal(phone.messages.length, 0);
  const { dataDir, push } = app;
  const restartedApp = await startApp(t, { dataDir, push });
  await phone.next();
  const bob = await signUp(restartedApp, "Bob");
  assert.equal(phone.messages.length, 1);
  assert.equal((await bob.client.feed.list()).items.length, 0);
  assert.match(getNotificationId(response), /^[0-9a-f-]{36}$/);
});

test("a TTL of one second is enough for a first attempt", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const { message } = await ann.client.notify(HELLO, { ttlSeconds: 1 });
  assert.equal(message, "Delivered to 1 of 1 device");
  assert.equal((await phone.next()).ttlSeconds, 1);
});
