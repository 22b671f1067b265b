import assert from "node:assert/strict";
import test from "node:test";
import type { LiveEvent } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { join } from "../support/membership.ts";
import { idOf, isOver, recordOnce } from "../support/log.ts";
import { follow, kindsOf, titleOf, tokenOf } from "./follow.ts";
import { startOwnTime } from "../support/own-time.ts";

const HELLO = { title: "Hello", body: "World" };
const STOP_MAX_MS = 3_000;

function newestId(events: readonly LiveEvent[]): string {
  return events.at(-1)?.id ?? assert.fail("There is no event with an id.");
}

test("a notification and what becomes of it are told as the feed and the log show them", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { device } = await addDevice(app, ann);
  const stream = await follow(t, app, { accessToken: await tokenOf(ann) });
  const id = idOf(await ann.client.notify(HELLO));
  // On another node, the stream may still hear of the new device.
  const events = await eventually(
    async () => stream.all.filter(({ kind }) => kind !== "device"),
    ({ length }) => length >= 2,
  );
  await recordOnce(ann.client, id, isOver);
  const { deliveries = [] } = (await ann.client.notifications.list()).items[0] ?? {};
  const [item] = (await ann.client.feed.list()).items;
  const told = new Map<string, unknown>(events.map(({ kind, data }) => [kind, data]));
  assert.deepEqual(told.get("notification"), item);
  assert.deepEqual(told.get("delivery"), { ...deliveries[0], notificationId: id });
  assert.equal(deliveries[0]?.deviceId, device.id);
  const ids = events.map((event) => event.id ?? "");
  assert.deepEqual(ids.toSorted(), ids);
});

test("a device is told when it is added, refreshed, renamed, paused, removed and gone", async (t) => {
  // Another node tells the device as it is when it hears of it.
  const app = await startApp(t, { isOneProcess: true });
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const [stream, stranger] = [
    await follow(t, app, { accessToken: await tokenOf(ann) }),
    await follow(t, app, { accessToken: await tokenOf(bob) }),
  ];
  // A device is shown as it is when it is told: each is waited for, or it may be told as what came of it next.
  const { phone, device } = await addDevice(app, ann, "Phone");
  await stream.received(1);
  const { endpoint, keys } = phone.subscription;
  const push = { provider: "webpush", endpoint, keys } as const;
  const refreshed = await ann.client.devices.create({ name: "Phone", platform: "web", push });
  await stream.received(2);
  const renamed = await ann.client.devices.update(device.id, { name: "Tablet" });
  await stream.received(3);
  const paused = await ann.client.devices.update(device.id, { paused: true });
  await stream.received(4);
  await ann.client.devices.remove(device.id);
  const events = await stream.received(5);
  assert.deepEqual(
    events.map(({ kind, data }) => [kind, data]),
    [device, refreshed, renamed, paused, null].map((shown, index) => [
      "device",
      { deviceId: device.id, device: shown, isNew: index === 0 },
    ]),
  );
  const gone = await addDevice(app, ann, "Gone");
  await stream.received(6);
  gone.phone.unsubscribe();
  await ann.client.notify(HELLO);
  const told = (await stream.received(9)).slice(5).map(({ kind, data }) => [kind, data]);
  const { id: deviceId } = gone.device;
  assert.deepEqual(
    told.filter(([kind]) => kind === "device"),
    [gone.device, null].map((shown) => [
      "device",
      { deviceId, device: shown, isNew: shown !== null },
    ]),
  );
  assert.deepEqual(stranger.all, []);
});

test("both of a team are told, its managers of the deliveries too, and a stranger of nothing", async (t) => {
  const app = await startApp(t);
  const [ann, bob, eve] = [
    await signUp(app, "Ann"),
    await signUp(app, "Bob"),
    await signUp(app, "Eve"),
  ];
  const team = await ann.client.teams.create({ name: "Ops" });
  const member = await join(ann, team.id, bob);
  await addDevice(app, bob);
  const of = async (person: typeof ann) => follow(t, app, { accessToken: await tokenOf(person) });
  const [anns, bobs, eves] = [await of(ann), await of(bob), await of(eve)];
  const sender = ann.withKey(team.key);
  await sender.notify({ title: "One", body: "" });
  assert.deepEqual(kindsOf(await anns.received(2)).toSorted(), ["delivery", "notification"]);
  assert.equal(titleOf((await bobs.received(1))[0]), "One");
  await ann.client.teams.removeMember(team.id, member);
  await sender.notify({ title: "Two", body: "" });
  await anns.received(3);
  // Bob's own notification comes after the one that he must not see.
  const mine = idOf(await bob.client.notify({ title: "Mine", body: "" }));
  const seen = await bobs.received(3);
  assert.deepEqual(seen.filter(({ kind }) => kind === "notification").map(titleOf), [
    "One",
    "Mine",
  ]);
  const [delivery] = seen.filter((event) => event.kind === "delivery");
  assert.equal(delivery?.data.notificationId, mine);
  assert.deepEqual(eves.all, []);
});

test("a stream that was lost gets exactly what it missed, of a team too", async (t) => {
  const app = await startApp(t);
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const team = await ann.client.teams.create({ name: "Ops" });
  await join(ann, team.id, bob);
  const accessToken = await tokenOf(bob);
  const first = await follow(t, app, { accessToken });
  const sender = ann.withKey(team.key);
  await sender.notify({ title: "One", body: "" });
  const lastEventId = newestId(await first.received(1));
  await first.stop();
  await sender.notify({ title: "Two", body: "" });
  await bob.client.notify({ title: "Three", body: "" });
  const second = await follow(t, app, { accessToken, lastEventId });
  await sender.notify({ title: "Four", body: "" });
  const titles = async () =>
    second.all.filter(({ kind }) => kind === "notification").map((event) => titleOf(event));
  const got = await eventually(titles, (all) => all.includes("Four"));
  if (app.database.kind === "sqlite") assert.deepEqual(got, ["Two", "Three", "Four"]);
  // Nodes cannot tell exactly where a stream ended, and begin before; the id of an item tells that it is known.
  const isNew = (title: string, index: number) => title !== "One" && got.indexOf(title) === index;
  assert.deepEqual(got.filter(isNew), ["Two", "Three", "Four"]);
});

test("after a restart, a stream gets the notifications that it missed", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const accessToken = await tokenOf(ann);
  const first = await follow(t, app, { accessToken });
  await ann.client.notify({ title: "One", body: "" });
  const lastEventId = newestId(await first.received(1));
  await first.stop();
  await ann.client.notify({ title: "Two", body: "" });
  await app.app.stop();
  const { dataDir, push } = app;
  const next = await startApp(t, { dataDir, push });
  const second = await follow(t, next, { accessToken, lastEventId });
  // Events from shortly before the last one are repeated; a reader recognises them by the item's id.
  assert.deepEqual((await second.received(2)).map(titleOf), ["One", "Two"]);
});

test("a server that stops does not wait for its streams", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await follow(t, app, { accessToken: await tokenOf(ann) });
  const ownMs = startOwnTime();
  await app.app.stop();
  assert.ok(ownMs() < STOP_MAX_MS);
});

test("without signing in, or with a revoked token, there is no stream", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { id, token } = await ann.client.accessTokens.create({ label: "lost" });
  await ann.client.accessTokens.remove(id);
  await assert.rejects(follow(t, app, { accessToken: token }), { status: 401 });
});
