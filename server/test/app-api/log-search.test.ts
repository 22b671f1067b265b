import assert from "node:assert/strict";
import test from "node:test";
import type { NotificationsQuery } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { idOf, recordOnce } from "../support/log.ts";

test("the log finds what was sent by each of its filters, and by several at once", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const there = await addDevice(app, ann, "There");
  const gone = await addDevice(app, ann, "Gone");
  const busy = await addDevice(app, ann, "Busy");
  gone.phone.unsubscribe();
  busy.phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const first = idOf(
    await ann.client.notify({ title: "Disk 90% full", body: "On db_1", channel: "Ops" }),
  );
  await recordOnce(ann.client, first, ({ counts }) => counts.retrying === 1);
  const key = await ann.client.keys.create({ kind: "account", label: "CI" });
  await ann.client.devices.update(busy.device.id, { paused: true });
  const second = idOf(await ann.withKey(key.key).notify({ title: "Build", body: "green" }));
  const { createdAt } = await ann.client.notifications.get(second);
  assert.ok((await ann.client.devices.test(there.device.id)).success);
  const [third] = (await ann.client.notifications.list({ limit: 1 })).items;
  const ids = new Map([
    [first, "first"],
    [second, "second"],
    [third?.id, "third"],
  ]);
  const found = async (query: NotificationsQuery) => {
    const { items, nextCursor } = await ann.client.notifications.list(query);
    assert.equal(nextCursor, null);
    return items.map(({ id }) => ids.get(id)).join(" ");
  };
  assert.equal(await found({}), "third second first");
  assert.equal(await found({ state: "failed" }), "first");
  assert.equal(await found({ state: "waiting" }), "first");
  assert.equal(await found({ state: "delivered" }), "third second first");
  assert.equal(await found({ state: "skipped" }), "second");
  assert.equal(await found({ channel: "Ops" }), "first");
  assert.equal(await found({ key: key.id }), "second");
  assert.equal(await found({ key: "none" }), "third");
  assert.equal(await found({ device: gone.device.id }), "first");
  assert.equal(await found({ device: busy.device.id }), "second first");
  assert.equal(await found({ device: there.device.id, state: "failed" }), "");
  assert.equal(await found({ device: busy.device.id, state: "waiting" }), "first");
  assert.equal(await found({ q: "90% FULL" }), "first");
  assert.equal(await found({ q: "DB_1" }), "first");
  assert.equal(await found({ q: "dbx1" }), "");
  assert.equal(await found({ q: "9_%" }), "");
  assert.equal(await found({ from: createdAt }), "third second");
  assert.equal(await found({ to: createdAt }), "first");
  assert.equal(await found({ key: key.id, state: "failed" }), "");
});

test("a filter that makes no sense is refused by name, and nobody finds what is not theirs", async (t) => {
  const app = await startApp(t);
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const { device } = await addDevice(app, ann);
  await ann.client.notify({ title: "Secret", body: "" });
  assert.deepEqual((await bob.client.notifications.list({ q: "Secret" })).items, []);
  assert.deepEqual((await bob.client.notifications.list({ device: device.id })).items, []);
  const refused = { status: 400, code: "invalid_field" };
  for (const query of [{ from: "yesterday" }, { q: "x".repeat(101) }, { channel: "a b" }]) {
    await assert.rejects(ann.client.notifications.list(query), refused);
  }
});
