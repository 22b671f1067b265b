import assert from "node:assert/strict";
import test from "node:test";
import type { NotificationsQuery } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { getNotificationId, waitForRecord } from "../support/notification-records.ts";

test("the log finds notifications by each filter, and by combined filters", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const active = await addDevice(app, ann, "Active");
  const goneDevice = await addDevice(app, ann, "Gone");
  const busy = await addDevice(app, ann, "Busy");
  goneDevice.phone.unsubscribe();
  busy.phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const first = getNotificationId(
    await ann.client.notify({ title: "Disk 90% full", body: "On db_1", channel: "Ops" }),
  );
  await waitForRecord(ann.client, first, ({ counts }) => counts.retrying === 1);
  const key = await ann.client.keys.create({ kind: "account", label: "CI" });
  await ann.client.devices.update(busy.device.id, { paused: true });
  const second = getNotificationId(
    await ann.withKey(key.key).notify({ title: "Build", body: "green" }),
  );
  const { createdAt } = await ann.client.notifications.get(second);
  assert.ok((await ann.client.devices.test(active.device.id)).success);
  const [third] = (await ann.client.notifications.list({ limit: 1 })).items;
  const ids = new Map([
    [first, "first"],
    [second, "second"],
    [third?.id, "third"],
  ]);
  const search = async (query: NotificationsQuery) => {
    const { items, nextCursor } = await ann.client.notifications.list(query);
    assert.equal(nextCursor, null);
    return items.map(({ id }) => ids.get(id)).join(" ");
  };
  assert.equal(await search({}), "third second first");
  assert.equal(await search({ state: "failed" }), "first");
  assert.equal(await search({ state: "waiting" }), "first");
  assert.equal(await search({ state: "delivered" }), "third second first");
  assert.equal(await search({ state: "skipped" }), "second");
  assert.equal(await search({ channel: "Ops" }), "first");
  assert.equal(await search({ key: key.id }), "second");
  assert.equal(await search({ key: "none" }), "third");
  assert.equal(await search({ device: goneDevice.device.id }), "first");
  assert.equal(await search({ device: busy.device.id }), "second first");
  assert.equal(await search({ device: active.device.id, state: "failed" }), "");
  assert.equal(await search({ device: busy.device.id, state: "waiting" }), "first");
  assert.equal(await search({ q: "90% FULL" }), "first");
  assert.equal(await search({ q: "DB_1" }), "first");
  assert.equal(await search({ q: "dbx1" }), "");
  assert.equal(await search({ q: "9_%" }), "");
  assert.equal(await search({ from: createdAt }), "third second");
  assert.equal(await search({ to: createdAt }), "first");
  assert.equal(await search({ key: key.id, state: "failed" }), "");
});

test("an invalid filter is refused, and another account's notifications are not found", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const { device } = await addDevice(app, ann);
  await ann.client.notify({ title: "Secret", body: "" });
  assert.deepEqual((await bob.client.notifications.list({ q: "Secret" })).items, []);
  assert.deepEqual((await bob.client.notifications.list({ device: device.id })).items, []);
  const invalidField = { status: 400, code: "invalid_field" };
  for (const query of [{ from: "yesterday" }, { q: "x".repeat(101) }, { channel: "a b" }]) {
    await assert.rejects(ann.client.notifications.list(query), invalidField);
  }
});
