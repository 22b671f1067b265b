import assert from "node:assert/strict";
import test from "node:test";
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryDetail,
  type NotificationRecord,
} from "@tocsin/sdk";
import { addDevice, signUp, startApp, type TestDevice } from "../support/app.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
} from "../support/notification-records.ts";
import { addMember } from "../support/team-members.ts";

const HELLO = { title: "Hello", body: "World" };
const ZERO_COUNTS = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0]));

const STATES_IN_PROGRESS = {
  Active: "accepted accepted",
  Gone: "gone device_gone",
  Refuses: "rejected payload_too_large",
  Paused: "skipped paused",
  Busy: "retrying rate_limited",
  Angry: "held provider_misconfigured",
  Slow: "queued queued",
  Leaving: "retrying retrying",
};

function describeStates({ deliveries }: NotificationRecord) {
  return Object.fromEntries(
    deliveries.map(({ deviceName, state, code }) => [deviceName, `${state} ${code}`]),
  );
}

/** Returns a delivery as a list shows it, without the fields that only its detail has. */
function toDelivery(detail: DeliveryDetail): Delivery {
  const {
    owner: _owner,
    nextAttemptAt: _next,
    attemptHistory: _all,
    attemptsLeftOut: _count,
    ...delivery
  } = detail;
  return delivery;
}

test("the log shows every device's delivery state, and the counts agree", async (t) => {
  const app = await startApp(t, {
    random: () => 0,
    environment: { TOCSIN_SYNC_WAIT_MS: "200" },
  });
  const ann = await signUp(app, "Ann");
  const names = [
    "Active",
    "Gone",
    "Refuses",
    "Paused",
    "Busy",
    "Angry",
    "Slow",
    "Leaving",
  ] as const;
  const devices = new Map<string, TestDevice>();
  for (const name of names) devices.set(name, await addDevice(app, ann, name));
  const findDevice = (name: (typeof names)[number]) => devices.get(name) ?? assert.fail(name);
  const responseReleased = Promise.withResolvers<void>();
  findDevice("Gone").phone.unsubscribe();
  findDevice("Refuses").phone.script({ kind: "answer", status: 413 });
  await ann.client.devices.update(findDevice("Paused").device.id, { paused: true });
  findDevice("Busy").phone.script({
    kind: "answer",
    status: 429,
    headers: { "retry-after": "600" },
  });
  // The server retries the first refusal with a new token.
  const refusal = { kind: "answer", status: 401 } as const;
  findDevice("Angry").phone.script(refusal, refusal, refusal, refusal);
  findDevice("Slow").phone.script({ kind: "verdict", after: responseReleased.promise });
  // Three failures, so that the delivery still waits when the device is removed: the third delay is half a minute.
  const outage = { kind: "answer", status: 503 } as const;
  findDevice("Leaving").phone.script(outage, outage, outage);
  const id = getNotificationId(await ann.client.notify(HELLO));
  const inProgress = await waitForRecord(ann.client, id, ({ counts }) => counts.queued === 1);
  assert.deepEqual(describeStates(inProgress), STATES_IN_PROGRESS);
  const finalCounts = { accepted: 1, gone: 1, rejected: 1, skipped: 1 };
  assert.deepEqual(inProgress.counts, {
    ...ZERO_COUNTS,
    ...finalCounts,
    queued: 1,
    retrying: 2,
    held: 1,
  });
  await ann.client.devices.remove(findDevice("Leaving").device.id);
  responseReleased.resolve();
  const finalRecord = await waitForRecord(ann.client, id, ({ counts }) => counts.cancelled === 1);
  const laterCounts = { ...finalCounts, accepted: 2, cancelled: 1 };
  assert.deepEqual(finalRecord.counts, { ...ZERO_COUNTS, ...laterCounts, retrying: 1, held: 1 });
  assert.equal(describeStates(finalRecord)["Leaving"], "cancelled cancelled");
  const [listedRecord] = (await ann.client.notifications.list()).items;
  assert.deepEqual(listedRecord, {
    ...finalRecord,
    deliveries: finalRecord.deliveries.map(toDelivery),
  });
});

test("a retry is recorded while another device's request is still open", async (t) => {
  const app = await startApp(t, { environment: { TOCSIN_SYNC_WAIT_MS: "200" } });
  const ann = await signUp(app, "Ann");
  const { phone: slow } = await addDevice(app, ann, "Slow");
  const { phone: busy } = await addDevice(app, ann, "Busy");
  await addDevice(app, ann, "Active");
  const busyResponse = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  slow.script({ kind: "verdict", after: released.promise });
  const refusal = { kind: "answer", status: 429, headers: { "retry-after": "600" } } as const;
  busy.script({ ...refusal, after: busyResponse.promise });
  const id = getNotificationId(await ann.client.notify(HELLO));
  // The retry is recorded after the result of another device.
  await waitForRecord(ann.client, id, ({ counts }) => counts.accepted === 1);
  busyResponse.resolve();
  const record = await waitForRecord(ann.client, id, ({ counts }) => counts.retrying === 1);
  assert.deepEqual(describeStates(record), {
    Slow: "queued queued",
    Busy: "retrying rate_limited",
    Active: "accepted accepted",
  });
  released.resolve();
  await waitForRecord(ann.client, id, ({ counts }) => counts.accepted === 2);
});

test("a device is retried on time while another device's request is still open", async (t) => {
  const app = await startApp(t, {
    random: () => 0,
    environment: { TOCSIN_SYNC_WAIT_MS: "200" },
  });
  const ann = await signUp(app, "Ann");
  const { phone: slow } = await addDevice(app, ann, "Slow");
  const { phone: unlucky } = await addDevice(app, ann, "Unlucky");
  const released = Promise.withResolvers<void>();
  slow.script({ kind: "verdict", after: released.promise });
  unlucky.script({ kind: "answer", status: 503 });
  const id = getNotificationId(await ann.client.notify(HELLO));
  const record = await waitForRecord(ann.client, id, ({ counts }) => counts.accepted === 1);
  assert.deepEqual(describeStates(record), {
    Slow: "queued queued",
    Unlucky: "accepted accepted",
  });
  const retriedDelivery = record.deliveries.find(({ deviceName }) => deviceName === "Unlucky");
  assert.deepEqual([retriedDelivery?.attempts, unlucky.messages.length], [2, 1]);
  released.resolve();
  await waitForRecord(ann.client, id, areDeliveriesFinished);
});

test("an expired delivery names the last problem", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script({ kind: "answer", status: 429, headers: { "retry-after": "30" } });
  const id = getNotificationId(await ann.client.notify(HELLO, { ttlSeconds: 10 }));
  const record = await waitForRecord(ann.client, id, areDeliveriesFinished);
  const [delivery] = record.deliveries;
  assert.deepEqual(record.counts, { ...ZERO_COUNTS, expired: 1 });
  assert.deepEqual(
    [delivery?.state, delivery?.code, delivery?.attempts],
    ["expired", "expired", 1],
  );
  assert.match(delivery?.message ?? "", /Last problem: The push service asked us to slow down/);
  assert.match(delivery?.updatedAt ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test("the log lists the notifications of own and managed keys, newest first, in pages", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const team = await ann.client.teams.create({ name: "Ops" });
  const bobAccountId = await addMember(ann, team.id, bob);
  const ownId = getNotificationId(await ann.client.notify(HELLO));
  const teamNotificationId = getNotificationId(await ann.withKey(team.key).notify(HELLO));
  const first = await ann.client.notifications.list({ limit: 1 });
  assert.deepEqual([first.items[0]?.id, first.items[0]?.teamId], [teamNotificationId, team.id]);
  assert.ok(first.nextCursor !== null);
  const secondPage = await ann.client.notifications.list({ limit: 1, cursor: first.nextCursor });
  assert.deepEqual([secondPage.items[0]?.id, secondPage.nextCursor], [ownId, null]);
  assert.deepEqual((await bob.client.notifications.list()).items, []);
  await ann.client.teams.updateMember(team.id, bobAccountId, { role: "admin" });
  const { items } = await bob.client.notifications.list();
  assert.deepEqual(
    items.map(({ id }) => id),
    [teamNotificationId],
  );
  await ann.client.teams.removeMember(team.id, bobAccountId);
  assert.deepEqual((await bob.client.notifications.list()).items, []);
  await assert.rejects(bob.client.notifications.get(teamNotificationId), {
    status: 404,
    code: "not_found",
  });
  await assert.rejects(ann.client.notifications.list({ limit: 0 }), { status: 400 });
  await assert.rejects(ann.client.notifications.list({ cursor: "/" }), { status: 400 });
});

test("the log keeps the names of removed devices", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { device } = await addDevice(app, ann, "Old phone");
  const id = getNotificationId(await ann.client.notify(HELLO));
  await ann.client.devices.remove(device.id);
  const record = await waitForRecord(ann.client, id, areDeliveriesFinished);
  assert.equal(record.deliveries[0]?.deviceName, "Old phone");
});
