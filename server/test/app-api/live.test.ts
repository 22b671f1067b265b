import assert from "node:assert/strict";
import test from "node:test";
import type { LiveEvent } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { join } from "../support/membership.ts";
import { idOf, isOver, recordOnce } from "../support/log.ts";
import { follow, kindsOf, titleOf, createToken } from "./follow.ts";
import { startOwnTime } from "../support/own-time.ts";

const HELLO = { title: "Hello", body: "World" };
const STOP_MAX_MS = 3_000;

function newestId(events: readonly LiveEvent[]): string {
  return events.at(-1)?.id ?? assert.fail("There is no event with an id.");
}

test("live events equal the feed item and the log's delivery", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { device } = await addDevice(app, ann);
  const stream = await follow(t, app, { accessToken: await createToken(ann) });
  const id = idOf(await ann.client.notify(HELLO));
  // On another node, the stream may still get the event of the new device.
  const events = await eventually(
    async () => stream.all.filter(({ kind }) => kind !== "device"),
    ({ length }) => length >= 2,
  );
  await recordOnce(ann.client, id, isOver);
  const { deliveries = [] } = (await ann.client.notifications.list()).items[0] ?? {};
  const [item] = (await ann.client.feed.list()).items;
  const eventData = new Map<string, unknown>(events.map(({ kind, data }) => [kind, data]));
  assert.deepEqual(eventData.get("notification"), item);
  assert.deepEqual(eventData.get("delivery"), { ...deliveries[0], notificationId: id });
  assert.equal(deliveries[0]?.deviceId, device.id);
  const ids = events.map((event) => event.id ?? "");
  assert.deepEqual(ids.toSorted(), ids);
});

test("a live event follows each change of a device", async (t) => {
  // Another node would show the device's state at the time of the event's arrival.
  const app = await startApp(t, { isOneProcess: true });
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const [stream, stranger] = [
    await follow(t, app, { accessToken: await createToken(ann) }),
    await follow(t, app, { accessToken: await createToken(bob) }),
  ];
  // An event shows the device's current state, so each one is awaited before the next change.
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
  const laterEvents = (await stream.received(9)).slice(5).map(({ kind, data }) => [kind, data]);
  const { id: deviceId } = gone.device;
  assert.deepEqual(
    laterEvents.filter(([kind]) => kind === "device"),
    [gone.device, null].map((shown) => [
      "device",
      { deviceId, device: shown, isNew: shown !== null },
    ]),
  );
  assert.deepEqual(stranger.all, []);
});

test("members get a team's notifications live, and only managers its deliveries", async (t) => {
  const app = await startApp(t);
  const [ann, bob, eve] = [
    await signUp(app, "Ann"),
    await signUp(app, "Bob"),
    await signUp(app, "Eve"),
  ];
  const team = await ann.client.teams.create({ name: "Ops" });
  const member = await join(ann, team.id, bob);
  await addDevice(app, bob);
  const followAs = async (person: typeof ann) =>
    follow(t, app, { accessToken: await createToken(person) });
  const [annStream, bobStream, eveStream] = [
    await followAs(ann),
    await followAs(bob),
    await followAs(eve),
  ];
  const sender = ann.withKey(team.key);
  await sender.notify({ title: "One", body: "" });
  assert.deepEqual(kindsOf(await annStream.received(2)).toSorted(), ["delivery", "notification"]);
  assert.equal(titleOf((await bobStream.received(1))[0]), "One");
  await ann.client.teams.removeMember(team.id, member);
  await sender.notify({ title: "Two", body: "" });
  await annStream.received(3);
  // Bob's own notification arrives after the one that he must not get.
  const ownId = idOf(await bob.client.notify({ title: "Mine", body: "" }));
  const bobEvents = await bobStream.received(3);
  assert.deepEqual(bobEvents.filter(({ kind }) => kind === "notification").map(titleOf), [
    "One",
    "Mine",
  ]);
  const [delivery] = bobEvents.filter((event) => event.kind === "delivery");
  assert.equal(delivery?.data.notificationId, ownId);
  assert.deepEqual(eveStream.all, []);
});

test("a reconnected stream replays exactly the missed events", async (t) => {
  const app = await startApp(t);
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const team = await ann.client.teams.create({ name: "Ops" });
  await join(ann, team.id, bob);
  const accessToken = await createToken(bob);
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
  const received = await eventually(titles, (current) => current.includes("Four"));
  if (app.database.kind === "sqlite") assert.deepEqual(received, ["Two", "Three", "Four"]);
  // Several nodes replay from slightly earlier; a client recognises known items by their ids.
  const isNew = (title: string, index: number) =>
    title !== "One" && received.indexOf(title) === index;
  assert.deepEqual(received.filter(isNew), ["Two", "Three", "Four"]);
});

test("after a restart, a stream replays the missed notifications", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const accessToken = await createToken(ann);
  const first = await follow(t, app, { accessToken });
  await ann.client.notify({ title: "One", body: "" });
  const lastEventId = newestId(await first.received(1));
  await first.stop();
  await ann.client.notify({ title: "Two", body: "" });
  await app.app.stop();
  const { dataDir, push } = app;
  const next = await startApp(t, { dataDir, push });
  const second = await follow(t, next, { accessToken, lastEventId });
  // Events from shortly before the last one are repeated; a client recognises them by their ids.
  assert.deepEqual((await second.received(2)).map(titleOf), ["One", "Two"]);
});

test("a stopping server does not wait for live streams", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await follow(t, app, { accessToken: await createToken(ann) });
  const ownMs = startOwnTime();
  await app.app.stop();
  assert.ok(ownMs() < STOP_MAX_MS);
});

test("a revoked token opens no live stream", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { id, token } = await ann.client.accessTokens.create({ label: "lost" });
  await ann.client.accessTokens.remove(id);
  await assert.rejects(follow(t, app, { accessToken: token }), { status: 401 });
});
