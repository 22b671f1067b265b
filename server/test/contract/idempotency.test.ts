import assert from "node:assert/strict";
import test from "node:test";
import { removeNotifications } from "#delivery/store/retention.ts";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { TestClock } from "../support/test-clock.ts";
import { parseError, HELLO, post } from "./http-requests.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const ONE_KEY = { idempotencyKey: "once" };
const MISMATCH_ERROR = { status: 400, code: "idempotency_mismatch" };

test("50 concurrent requests with one idempotency key send once and get the same bytes", async (t) => {
  // A long wait: a response before the device's result would rightly differ.
  const app = await startApp(t, { environment: { TOCSIN_SYNC_WAIT_MS: "9000" } });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const keyedPost = { key: ann.key, headers: { "idempotency-key": "once" }, body: HELLO };
  const responses = await Promise.all(Array.from({ length: 50 }, () => post(app.url, keyedPost)));
  const laterResponse = await post(app.url, keyedPost);
  const summaries = [...responses, laterResponse].map(
    ({ status, text, headers }) => `${status} ${String(headers["x-notification-id"])} ${text}`,
  );
  assert.equal(new Set(summaries).size, 1);
  assert.match(laterResponse.text, /Delivered to 1 of 1 device/);
  assert.equal(phone.requests.length, 1);
  assert.equal((await ann.client.notifications.list()).items.length, 1);
});

test("the same idempotency key with another content, TTL or audience is refused", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const { id } = await client.groups.create({ name: "All", deviceIds: [] });
  await client.notify(HELLO, ONE_KEY);
  await assert.rejects(client.notify({ ...HELLO, title: "Other" }, ONE_KEY), MISMATCH_ERROR);
  await assert.rejects(client.notify({ ...HELLO, sound: "pop" }, ONE_KEY), MISMATCH_ERROR);
  await assert.rejects(client.notify(HELLO, { ...ONE_KEY, ttlSeconds: 60 }), MISMATCH_ERROR);
  await assert.rejects(client.notifyGroup(id, HELLO, ONE_KEY), MISMATCH_ERROR);
  assert.equal((await client.notifications.list()).items.length, 1);
});

test("equivalent content by another form of the call is a repetition", async (t) => {
  const app = await startApp(t);
  const { client, key } = await signUp(app, "Ann");
  const first = await client.notify(HELLO, ONE_KEY);
  const equivalentContent = {
    ...HELLO,
    channel: "feed",
    sound: null,
    timeSensitive: false,
    unknown: 1,
  };
  const repeated = [
    await client.notifyAsync(HELLO, ONE_KEY),
    await client.notifyWithKey(key, equivalentContent, ONE_KEY),
    await client.notifyWebhook(key, HELLO, ONE_KEY),
  ];
  for (const { notificationId } of repeated) assert.equal(notificationId, first.notificationId);
});

test("a repetition reports the first result even for a device removed since", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann, "Gone");
  const active = await addDevice(app, ann, "Active");
  phone.unsubscribe();
  const first = await ann.client.notify(HELLO, ONE_KEY);
  assert.equal(first.message, "Delivered to 1 of 2 devices");
  assert.deepEqual(await ann.client.notify(HELLO, ONE_KEY), first);
  await ann.client.devices.remove(active.device.id);
  const { message, responses } = await ann.client.notify(HELLO, ONE_KEY);
  assert.equal(message, first.message);
  assert.equal(responses.length, 2);
});

test("a repetition of a send to no device gets the first response until the send is removed, and then says so", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const first = await ann.client.notify(HELLO, ONE_KEY);
  assert.match(first.message, /^No devices are signed in/);
  assert.deepEqual(await ann.client.notify(HELLO, ONE_KEY), first);
  const { notificationId } = first;
  await removeNotifications(app.app.context, {
    ids: [notificationId ?? assert.fail()],
    extraStatements: [],
  });
  const repeat = async () => {
    const { success, message, responses } = await ann.client.notify(HELLO, ONE_KEY);
    return [success, message, responses];
  };
  const expected = "This request was accepted before. Its results are no longer stored.";
  assert.deepEqual(await repeat(), [true, expected, []]);
  await addDevice(app, ann);
  assert.deepEqual(await repeat(), [true, expected, []]);
});

test("each API key has its own idempotency keys", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { client } = ann;
  const withOtherKey = ann.withKey((await client.keys.create({ kind: "account" })).key);
  const first = await client.notify(HELLO, ONE_KEY);
  const second = await withOtherKey.notify(HELLO, ONE_KEY);
  assert.notEqual(first.notificationId, second.notificationId);
});

test("a repetition with the old or new key of a rotation sends nothing", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const original = await ann.client.keys.create({ kind: "account" });
  const rotatedKey = await ann.client.keys.rotate(original.id);
  const rotatedTwice = await ann.client.keys.rotate(rotatedKey.id);
  const [first, second, third] = [original, rotatedKey, rotatedTwice].map(({ key }) =>
    ann.withKey(key),
  );
  const { notificationId } = (await second?.notify(HELLO, ONE_KEY)) ?? {};
  assert.ok(notificationId !== undefined);
  assert.equal((await first?.notify(HELLO, ONE_KEY))?.notificationId, notificationId);
  assert.equal((await third?.notify(HELLO, ONE_KEY))?.notificationId, notificationId);
  await assert.rejects(
    async () => third?.notify({ ...HELLO, title: "Other" }, ONE_KEY),
    MISMATCH_ERROR,
  );
  assert.equal(phone.requests.length, 1);
  assert.equal((await ann.client.notifications.list()).items.length, 1);
});

test("an idempotency key is kept for 24 hours, even after a restart", async (t) => {
  const clock = new TestClock();
  const app = await startApp(t, { now: clock.now });
  const { client, key } = await signUp(app, "Ann");
  const first = await client.notify(HELLO, ONE_KEY);
  await app.app.stop();
  const restarted = await startApp(t, { now: clock.now, dataDir: app.dataDir });
  const send = async () => {
    const { headers } = await post(restarted.url, {
      key,
      headers: { "idempotency-key": "once" },
      body: HELLO,
    });
    return headers["x-notification-id"];
  };
  clock.advance(DAY_MS - 1);
  assert.equal(await send(), first.notificationId);
  clock.advance(1);
  assert.notEqual(await send(), first.notificationId);
});

test("an Idempotency-Key has at most 255 characters, and an empty one is ignored", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const send = (value: string) =>
    post(app.url, { key, headers: { "idempotency-key": value }, body: HELLO });
  assert.equal((await send("x".repeat(255))).status, 200);
  const tooLongResponse = await send("x".repeat(256));
  assert.deepEqual(
    [tooLongResponse.status, parseError(tooLongResponse)["field"]],
    [400, "Idempotency-Key"],
  );
  const first = await send("");
  const second = await send("");
  assert.notEqual(first.headers["x-notification-id"], second.headers["x-notification-id"]);
});

test("a repetition reports the devices of the first request", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann, "One");
  const first = await ann.client.notify(HELLO, ONE_KEY);
  await addDevice(app, ann, "Two");
  assert.deepEqual(await ann.client.notify(HELLO, ONE_KEY), first);
});

test("a repetition during the first request reports the same devices", async (t) => {
  const app = await startApp(t, { environment: { TOCSIN_SYNC_WAIT_MS: "300" } });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann, "One");
  phone.script({ kind: "hang" });
  const first = await ann.client.notify(HELLO, ONE_KEY);
  await addDevice(app, ann, "Two");
  assert.deepEqual(await ann.client.notify(HELLO, ONE_KEY), first);
});
