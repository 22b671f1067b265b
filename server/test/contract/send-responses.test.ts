import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { startStealFreeTimer } from "../support/steal-time.ts";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { toComparable, HELLO, post } from "./http-requests.ts";
import { insertPausedDevices } from "./insert-paused-devices.ts";
import { parseLinkToken } from "../support/link-token.ts";

const GONE_SCRIPT = { kind: "answer", status: 410 } as const;
const UNAVAILABLE_SCRIPT = {
  kind: "answer",
  status: 503,
  headers: { "retry-after": "600" },
} as const;
const SHORT_WAIT = { environment: { TOCSIN_SYNC_WAIT_MS: "200" } };

test("a send that all devices accept reports a success for each device, and the number of devices", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  for (const name of ["One", "Two"]) await addDevice(app, ann, name);
  const { notificationId, ...response } = await ann.client.notify(HELLO);
  const message =
    "Accepted by the browser's push service. Delivery to the device is up to the service.";
  const acceptedResponse = { success: true, message };
  const responses = [acceptedResponse, acceptedResponse];
  assert.deepEqual(response, { success: true, message: "Delivered to 2 of 2 devices", responses });
  assert.ok(notificationId !== null);
});

test("results are in the order of the devices, including a gone one", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const devices = [];
  for (const name of ["One", "Two", "Three"]) devices.push(await addDevice(app, ann, name));
  devices[1]?.phone.script(GONE_SCRIPT);
  const { success, message, responses } = await ann.client.notify(HELLO);
  assert.deepEqual([success, message], [true, "Delivered to 2 of 3 devices"]);
  assert.deepEqual(
    responses.map((device) => device.success),
    [true, false, true],
  );
  assert.equal(responses[1]?.message, "The device is no longer registered. It has been removed.");
});

test("a send with only queued devices succeeds, and each message begins with Queued", async (t) => {
  const app = await startApp(t, SHORT_WAIT);
  const ann = await signUp(app, "Ann");
  const devices = [await addDevice(app, ann, "One"), await addDevice(app, ann, "Two")];
  const never = new Promise(() => {});
  devices[0]?.phone.script(UNAVAILABLE_SCRIPT);
  devices[1]?.phone.script({ kind: "answer", status: 201, after: never });
  const { success, message, responses } = await ann.client.notify(HELLO);
  assert.deepEqual([success, message], [true, "Accepted; 0 of 2 delivered so far, 2 queued"]);
  for (const device of responses) assert.match(device.message, /^Queued/);
  assert.ok(responses.every((device) => !device.success));
});

test("a synchronous send responds within the wait, even for a slow device", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script({ kind: "hang" });
  const startedAt = performance.now();
  const readElapsedMs = startStealFreeTimer();
  const { message } = await ann.client.notify(HELLO);
  const durationMs = performance.now() - startedAt;
  assert.equal(message, "Accepted; 0 of 1 delivered so far, 1 queued");
  // TOCSIN_SYNC_WAIT_MS is 3 s by default. The lower bound is real time, like the server's wait. The upper bound does not
  // count the time that the host of a virtual machine gave to other machines.
  assert.ok(durationMs > 2_500 && readElapsedMs() < 3_500, `${durationMs} ms`);
});

test("a send that fails permanently on every device is not a success", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const goneDevice = await addDevice(app, ann, "Gone");
  const pausedDevice = await addDevice(app, ann, "Paused");
  goneDevice.phone.unsubscribe();
  await ann.client.devices.update(pausedDevice.device.id, { paused: true });
  const { success, message, responses } = await ann.client.notify(HELLO);
  assert.deepEqual([success, message], [false, "Delivered to 0 of 2 devices"]);
  assert.deepEqual(responses, [
    { success: false, message: "The device is no longer registered. It has been removed." },
    { success: false, message: "Paused by its owner; nothing was sent to this device." },
  ]);
});

test("a send without devices stores the notification in the feed", async (t) => {
  const app = await startApp(t);
  const { client, key } = await signUp(app, "Ann");
  const response = await post(app.url, { key, body: HELLO });
  const message = "No devices are signed in to this account yet. The notification is in its feed.";
  assert.equal(response.text, JSON.stringify({ success: false, message, responses: [] }));
  const { items } = await client.feed.list();
  assert.equal(items[0]?.id, response.headers["x-notification-id"]);
});

test("every synchronous form returns results, and the asynchronous form an acknowledgement", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { device } = await addDevice(app, ann);
  const { id } = await ann.client.groups.create({ name: "All", deviceIds: [device.id] });
  const sendResponses = [
    await ann.client.notify(HELLO),
    await ann.client.notifyWithKey(ann.key, HELLO),
    await ann.client.notifyWebhook(ann.key, HELLO),
    await ann.client.notifyGroup(id, HELLO),
  ];
  for (const { success, message, responses } of sendResponses) {
    assert.deepEqual([success, message], [true, "Delivered to 1 of 1 device"]);
    assert.equal(responses.length, 1);
  }
  const path = "/api/v1/notify-async";
  const response = await post(app.url, { key: ann.key, path, body: HELLO });
  assert.equal(response.text, '{"success":true,"message":"Notification accepted"}');
  const record = await ann.client.notifications.get(String(response.headers["x-notification-id"]));
  assert.equal(record.title, "Hello");
});

test("a text longer than a push is shortened and delivered", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const { message } = await ann.client.notify({ title: "Hello", body: "long ".repeat(6_000) });
  assert.equal(message, "Delivered to 1 of 1 device");
  const { body } = JSON.parse((await phone.next()).text).notification;
  assert.ok(body.startsWith("long long ") && body.length > 2_000 && body.length < 4_000);
  const [item] = (await ann.client.feed.list()).items;
  assert.equal(item?.body.length, 30_000);
});

test("a team key reaches every member's devices, and an account key only its own", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const team = await ann.client.teams.create({ name: "Ops" });
  const { link } = await ann.client.teams.invite(team.id, { email: bob.email });
  await bob.client.invitations.acceptToken(parseLinkToken(link));
  await addDevice(app, ann);
  await addDevice(app, bob);
  const teamSend = await ann.withKey(team.key).notify(HELLO);
  assert.equal(teamSend.message, "Delivered to 2 of 2 devices");
  assert.equal((await bob.client.notify(HELLO)).message, "Delivered to 1 of 1 device");
  await assert.rejects(ann.withKey(team.key).notifyGroup("g", HELLO), {
    status: 401,
    code: "wrong_key_kind",
  });
});

test("a missing group and another account's group get the same bytes", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const { id } = await bob.client.groups.create({ name: "Bob's", deviceIds: [] });
  const responses = new Set<string>();
  for (const group of [id, randomUUID(), "nothing", "a%2Fb"]) {
    const path = `/api/v1/notify/group/${group}`;
    responses.add(toComparable(await post(app.url, { key: ann.key, path, body: HELLO })));
  }
  assert.equal(responses.size, 1);
  assert.match([...responses][0] ?? "", /^400 .*"code":"unknown_group"/);
  assert.deepEqual((await bob.client.feed.list()).items, []);
});

test("a send to 500 devices is awaited, and a send to 501 devices is accepted immediately", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  await insertPausedDevices(app, ann, 499);
  const awaitedResponse = await ann.client.notify(HELLO);
  assert.equal(awaitedResponse.message, "Delivered to 1 of 500 devices");
  assert.equal(awaitedResponse.responses.length, 500);
  await phone.next();
  await insertPausedDevices(app, ann, 1);
  const { success, message, responses } = await ann.client.notify(HELLO);
  assert.deepEqual([success, responses], [true, []]);
  assert.match(message, /more than 500 devices/);
  assert.match((await phone.next()).text, /Hello/);
});
