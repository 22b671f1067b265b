import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { startMailServer } from "../support/start-mail-server.ts";

const TIMESTAMP_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NOT_FOUND = { status: 404, code: "not_found" };
/** The length of an uncompressed point of P-256: a VAPID key, RFC 8292 section 3.2. */
const PUBLIC_KEY_BYTES = 65;

test("a device is added, listed without its endpoint, changed and removed", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  const { id, createdAt, registeredAt, ...rest } = device;
  assert.deepEqual(rest, {
    name: "Phone",
    platform: "web",
    provider: "webpush",
    paused: false,
    lastDelivery: null,
    endpointHost: `127.0.0.1:${app.push.port}`,
  });
  assert.match(createdAt, TIMESTAMP_PATTERN);
  assert.equal(registeredAt, createdAt);
  const page = await ann.client.devices.list();
  assert.deepEqual(page, { items: [device], nextCursor: null });
  const { endpoint, keys } = phone.subscription;
  for (const secret of [new URL(endpoint).pathname, keys.p256dh, keys.auth]) {
    assert.ok(!JSON.stringify(page).includes(secret));
  }
  const changed = await ann.client.devices.update(id, { name: "Tablet", paused: true });
  assert.deepEqual([changed.name, changed.paused], ["Tablet", true]);
  await ann.client.devices.remove(id);
  assert.deepEqual((await ann.client.devices.list()).items, []);
  await assert.rejects(ann.client.devices.update(id, { name: "Back" }), NOT_FOUND);
  await assert.rejects(ann.client.devices.test(id), NOT_FOUND);
});

test("a test notification reaches only the tested device and returns its outcome; a device that is gone is removed", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const tested = await addDevice(app, ann);
  const other = await addDevice(app, ann, "Other");
  const response = await ann.client.devices.test(tested.device.id);
  assert.deepEqual(response, {
    success: true,
    message: "Accepted by the browser's push service. Delivery to the device is up to the service.",
  });
  assert.match((await tested.phone.next()).text, /It works/);
  assert.equal(other.phone.requests.length, 0);
  const { items } = await ann.client.devices.list();
  const listedDevice = items.find(({ id }) => id === tested.device.id);
  assert.equal(listedDevice?.lastDelivery?.state, "accepted");
  assert.match(listedDevice.lastDelivery.at, TIMESTAMP_PATTERN);
  tested.phone.unsubscribe();
  assert.deepEqual(await ann.client.devices.test(tested.device.id), {
    success: false,
    message: "The device is no longer registered. It has been removed.",
  });
  await assert.rejects(ann.client.devices.test(tested.device.id), NOT_FOUND);
});

test("a device whose endpoint is at a loopback address is refused", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const { keys } = phone.subscription;
  const push = { provider: "webpush", endpoint: "https://127.0.0.1:1/x", keys } as const;
  await assert.rejects(ann.client.devices.create({ name: "Phone", platform: "web", push }), {
    status: 400,
    code: "invalid_field",
  });
});

test("a group is created, listed and changed, and its removal keeps its devices", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ids = [(await addDevice(app, ann)).device.id, (await addDevice(app, ann)).device.id];
  const [first = "", second = ""] = ids;
  const group = await ann.client.groups.create({
    name: "Desk",
    deviceIds: [second, first, second],
  });
  assert.deepEqual({ ...group, id: "" }, { id: "", name: "Desk", deviceIds: ids });
  assert.deepEqual(await ann.client.groups.list(), { items: [group], nextCursor: null });
  const changed = await ann.client.groups.update(group.id, { name: "Bed", deviceIds: [first] });
  assert.deepEqual(changed, { id: group.id, name: "Bed", deviceIds: [first] });
  await ann.client.devices.remove(first);
  assert.deepEqual((await ann.client.groups.list()).items[0]?.deviceIds, []);
  await ann.client.groups.remove(group.id);
  assert.deepEqual((await ann.client.groups.list()).items, []);
  await assert.rejects(ann.client.groups.update(group.id, { name: "Back" }), NOT_FOUND);
  assert.equal((await ann.client.devices.list()).items.length, 1);
});

test("the VAPID public key is readable without sign-in, and stays the same after a restart", async (t) => {
  const app = await startApp(t);
  const { publicKey } = await app.anonymous.webPushKey();
  assert.equal(Buffer.from(publicKey, "base64url").length, PUBLIC_KEY_BYTES);
  await app.app.stop();
  const { dataDir, push } = app;
  const next = await startApp(t, { dataDir, push });
  assert.deepEqual(await next.anonymous.webPushKey(), { publicKey });
});

test("a new device is announced by email and recorded in the audit log", async (t) => {
  const { mail, environment } = await startMailServer(t);
  const app = await startApp(t, { environment });
  const ann = await signUp(app, "Ann");
  const { db } = app.app.context.database;
  await db.updateTable("account").set({ email_verified: 1 }).execute();
  const { device } = await addDevice(app, ann, "Kitchen tablet");
  // The first email asks to verify the email address.
  const [, notice] = await mail.waitForMails(2);
  assert.deepEqual(notice?.to, [ann.email]);
  assert.match(notice.text ?? "", /Kitchen tablet \(browser, through 127\.0\.0\.1:\d+\)/);
  const event = await db
    .selectFrom("audit_event")
    .select(["actor_account_id", "account_id"])
    .where("action", "=", "device_added")
    .where("subject_id", "=", device.id)
    .executeTakeFirst();
  assert.deepEqual(event, { actor_account_id: ann.accountId, account_id: ann.accountId });
});
