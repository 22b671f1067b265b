import assert from "node:assert/strict";
import test from "node:test";
import type { DeliveryDetail } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../support/app.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
} from "../support/notification-records.ts";

const HELLO = { title: "Hello", body: "World" };

function describeAttempts({ attemptHistory }: DeliveryDetail) {
  return attemptHistory.map(({ attempt, outcome, code }) => `${attempt} ${outcome} ${code}`);
}

test("a delivery lists every attempt with its time and response, and no endpoint", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script(
    { kind: "answer", status: 503 },
    { kind: "answer", status: 429, headers: { "retry-after": "1" } },
  );
  const id = getNotificationId(await ann.client.notify(HELLO));
  const record = await waitForRecord(ann.client, id, areDeliveriesFinished);
  const [delivery] = record.deliveries;
  assert.ok(delivery !== undefined);
  assert.deepEqual(describeAttempts(delivery), [
    "1 retry transient",
    "2 retry rate_limited",
    "3 accepted accepted",
  ]);
  const [first, second, third] = delivery.attemptHistory;
  assert.match(first?.answer ?? "", /^\S+ answered 503/);
  assert.ok((first?.nextAttemptAt ?? "") <= (second?.at ?? ""));
  assert.equal(third?.nextAttemptAt, null);
  assert.equal(third?.at, delivery.updatedAt);
  assert.deepEqual([delivery.nextAttemptAt, delivery.attemptsLeftOut], [null, 0]);
  assert.ok(!JSON.stringify(record).includes(new URL(phone.subscription.endpoint).pathname));
});

test("each delivery shows its attempts, and the service's response or the time of the next attempt", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const activeDevice = await addDevice(app, ann, "Active");
  const goneDevice = await addDevice(app, ann, "Gone");
  const busyDevice = await addDevice(app, ann, "Busy");
  goneDevice.phone.unsubscribe();
  busyDevice.phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const id = getNotificationId(await ann.client.notify(HELLO));
  const record = await waitForRecord(ann.client, id, ({ counts }) => counts.retrying === 1);
  const findDelivery = (name: string) =>
    record.deliveries.find(({ deviceName }) => deviceName === name) ?? assert.fail(name);
  assert.equal(activeDevice.device.id, findDelivery("Active").deviceId);
  assert.deepEqual(describeAttempts(findDelivery("Active")), ["1 accepted accepted"]);
  assert.deepEqual(describeAttempts(findDelivery("Gone")), ["1 gone device_gone"]);
  assert.match(findDelivery("Gone").attemptHistory[0]?.answer ?? "", /answered 410/);
  const { nextAttemptAt, attemptHistory, updatedAt } = findDelivery("Busy");
  assert.ok(Date.parse(nextAttemptAt ?? "") - Date.parse(updatedAt) >= 600_000);
  assert.equal(attemptHistory[0]?.nextAttemptAt, nextAttemptAt);
});

test("the log shows the audience, the sending key and the expiry", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { device } = await addDevice(app, ann, "Phone");
  const group = await ann.client.groups.create({ name: "On call", deviceIds: [device.id] });
  const team = await ann.client.teams.create({ name: "Ops" });
  const key = await ann.client.keys.create({ kind: "account", label: "Backups" });
  const sender = ann.withKey(key.key);
  const notificationIds = {
    account: getNotificationId(await sender.notify(HELLO, { ttlSeconds: 60 })),
    group: getNotificationId(await sender.notifyGroup(group.id, HELLO)),
    team: getNotificationId(await ann.withKey(team.key).notify(HELLO)),
  };
  await ann.client.keys.remove(key.id);
  const accountRecord = await ann.client.notifications.get(notificationIds.account);
  assert.deepEqual(accountRecord.audience, { kind: "account", id: ann.accountId, name: null });
  assert.deepEqual(accountRecord.key, { id: key.id, label: "Backups", hint: key.hint });
  assert.equal(Date.parse(accountRecord.expiresAt) - Date.parse(accountRecord.createdAt), 60_000);
  const groupRecord = await ann.client.notifications.get(notificationIds.group);
  assert.deepEqual(groupRecord.audience, { kind: "group", id: group.id, name: "On call" });
  const teamRecord = await ann.client.notifications.get(notificationIds.team);
  assert.deepEqual(teamRecord.audience, { kind: "team", id: team.id, name: "Ops" });
});

test("deliveries are paginated, ordered and filtered by state, and hidden from other accounts", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  for (const name of ["A", "B", "C", "D", "E"]) {
    const { phone } = await addDevice(app, ann, name);
    if (name === "B" || name === "D") phone.unsubscribe();
    if (name === "E")
      phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  }
  const id = getNotificationId(await ann.client.notify(HELLO));
  await waitForRecord(ann.client, id, ({ counts }) => counts.retrying === 1 && counts.gone === 2);
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const query = { limit: 1, ...(cursor === null ? {} : { cursor }) };
    const page = await ann.client.notifications.deliveries(id, query);
    assert.ok(page.items.length === 1);
    names.push(...page.items.map(({ deviceName }) => deviceName));
    cursor = page.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(names.toSorted(), ["A", "B", "C", "D", "E"]);
  assert.deepEqual([names.slice(0, 2).toSorted(), names[2]], [["B", "D"], "E"]);
  const failedDeliveries = await ann.client.notifications.deliveries(id, { state: "failed" });
  assert.deepEqual(failedDeliveries.items.map(({ deviceName }) => deviceName).toSorted(), [
    "B",
    "D",
  ]);
  const waitingDeliveries = await ann.client.notifications.deliveries(id, { state: "waiting" });
  assert.deepEqual(
    waitingDeliveries.items.map(({ deviceName }) => deviceName),
    ["E"],
  );
  const bobsRequest = bob.client.notifications.deliveries(id);
  await assert.rejects(bobsRequest, { status: 404, code: "not_found" });
});
