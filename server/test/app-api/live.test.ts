import assert from "node:assert/strict";
import test from "node:test";
import type { LiveEvent } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { addMember } from "../support/team-members.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
} from "../support/notification-records.ts";
import {
  followLiveEvents,
  getKinds,
  getNotificationTitle,
  createAccessToken,
} from "./follow-live-events.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";

const HELLO = { title: "Hello", body: "World" };
const STOP_MAX_MS = 3_000;

function findNewestId(events: readonly LiveEvent[]): string {
  return events.at(-1)?.id ?? assert.fail("There is no event with an id.");
}

test("live events equal the feed item and the log's delivery", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { device } = await addDevice(app, ann);
  const stream = await followLiveEvents(t, app, { accessToken: await createAccessToken(ann) });
  const id = getNotificationId(await ann.client.notify(HELLO));
  // On another node, the stream may still get the event of the new device.
  const events = await eventually(
    async () => stream.events.filter(({ kind }) => kind !== "device"),
    ({ length }) => length >= 2,
  );
  await waitForRecord(ann.client, id, areDeliveriesFinished);
  const { deliveries = [] } = (await ann.client.notifications.list()).items[0] ?? {};
  const [item] = (await ann.client.feed.list()).items;
  const eventData = new Map<string, unknown>(events.map(({ kind, data }) => [kind, data]));
  assert.deepEqual(eventData.get("notification"), item);
  assert.deepEqual(eventData.get("delivery"), { ...deliveries[0], notificationId: id });
  assert.equal(deliveries[0]?.deviceId, device.id);
  const ids = events.map((event) => event.id ?? "");
  assert.deepEqual(ids.toSorted(), ids);
});

test("a live event follows each change of a device, and other accounts get none", async (t) => {
  // Another node would show the device's state at the time of the event's arrival.
  const app = await startApp(t, { isSingleProcess: true });
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const stream = await followLiveEvents(t, app, { accessToken: await createAccessToken(ann) });
  const bobStream = await followLiveEvents(t, app, { accessToken: await createAccessToken(bob) });
  // An event shows the device's current state, so each one is awaited before the next change.
  const { phone, device } = await addDevice(app, ann, "Phone");
  await stream.waitForEvents(1);
  const { endpoint, keys } = phone.subscription;
  const push = { provider: "webpush", endpoint, keys } as const;
  const refreshed = await ann.client.devices.create({ name: "Phone", platform: "web", push });
  await stream.waitForEvents(2);
  const renamedDevice = await ann.client.devices.update(device.id, { name: "Tablet" });
  await stream.waitForEvents(3);
  const pausedDevice = await ann.client.devices.update(device.id, { paused: true });
  await stream.waitForEvents(4);
  await ann.client.devices.remove(device.id);
  const events = await stream.waitForEvents(5);
  assert.deepEqual(
    events.map(({ kind, data }) => [kind, data]),
    [device, refreshed, renamedDevice, pausedDevice, null].map((shown, index) => [
      "device",
      { deviceId: device.id, device: shown, isNew: index === 0 },
    ]),
  );
  const goneDevice = await addDevice(app, ann, "Gone");
  await stream.waitForEvents(6);
  goneDevice.phone.unsubscribe();
  await ann.client.notify(HELLO);
  // The sixth event is about the new device. Three more follow: the notification, its delivery and the removed device.
  const laterEvents = (await stream.waitForEvents(9))
    .slice(5)
    .map(({ kind, data }) => [kind, data]);
  const { id: deviceId } = goneDevice.device;
  assert.deepEqual(
    laterEvents.filter(([kind]) => kind === "device"),
    [goneDevice.device, null].map((shown) => [
      "device",
      { deviceId, device: shown, isNew: shown !== null },
    ]),
  );
  assert.deepEqual(bobStream.events, []);
});

test("members get a team's notifications live, and only managers its deliveries", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const eve = await signUp(app, "Eve");
  const team = await ann.client.teams.create({ name: "Ops" });
  const bobAccountId = await addMember(ann, team.id, bob);
  await addDevice(app, bob);
  const followAs = async (person: typeof ann) =>
    followLiveEvents(t, app, { accessToken: await createAccessToken(person) });
  const annStream = await followAs(ann);
  const bobStream = await followAs(bob);
  const eveStream = await followAs(eve);
  const sender = ann.withKey(team.key);
  await sender.notify({ title: "One", body: "" });
  assert.deepEqual(getKinds(await annStream.waitForEvents(2)).toSorted(), [
    "delivery",
    "notification",
  ]);
  assert.equal(getNotificationTitle((await bobStream.waitForEvents(1))[0]), "One");
  await ann.client.teams.removeMember(team.id, bobAccountId);
  await sender.notify({ title: "Two", body: "" });
  await annStream.waitForEvents(3);
  // Bob's own notification arrives after the one that he must not get.
  const ownId = getNotificationId(await bob.client.notify({ title: "Mine", body: "" }));
  const bobEvents = await bobStream.waitForEvents(3);
  assert.deepEqual(
    bobEvents.filter(({ kind }) => kind === "notification").map(getNotificationTitle),
    ["One", "Mine"],
  );
  const [delivery] = bobEvents.filter((event) => event.kind === "delivery");
  assert.equal(delivery?.data.notificationId, ownId);
  assert.deepEqual(eveStream.events, []);
});

test("a reconnected stream replays all missed events in order, on SQLite without a repetition", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const team = await ann.client.teams.create({ name: "Ops" });
  await addMember(ann, team.id, bob);
  const accessToken = await createAccessToken(bob);
  const first = await followLiveEvents(t, app, { accessToken });
  const sender = ann.withKey(team.key);
  await sender.notify({ title: "One", body: "" });
  const lastEventId = findNewestId(await first.waitForEvents(1));
  await first.stop();
  await sender.notify({ title: "Two", body: "" });
  await bob.client.notify({ title: "Three", body: "" });
  const second = await followLiveEvents(t, app, { accessToken, lastEventId });
  await sender.notify({ title: "Four", body: "" });
  const listTitles = async () =>
    second.events
      .filter(({ kind }) => kind === "notification")
      .map((event) => getNotificationTitle(event));
  const received = await eventually(listTitles, (current) => current.includes("Four"));
  if (app.database.kind === "sqlite") assert.deepEqual(received, ["Two", "Three", "Four"]);
  // Several nodes replay from slightly earlier; a client recognises known items by their ids.
  const isNew = (title: string, index: number) =>
    title !== "One" && received.indexOf(title) === index;
  assert.deepEqual(received.filter(isNew), ["Two", "Three", "Four"]);
});

test("a stream replays the missed notifications after a restart of the server", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const accessToken = await createAccessToken(ann);
  const first = await followLiveEvents(t, app, { accessToken });
  await ann.client.notify({ title: "One", body: "" });
  const lastEventId = findNewestId(await first.waitForEvents(1));
  await first.stop();
  await ann.client.notify({ title: "Two", body: "" });
  await app.app.stop();
  const { dataDir, push } = app;
  const next = await startApp(t, { dataDir, push });
  const second = await followLiveEvents(t, next, { accessToken, lastEventId });
  // Events from shortly before the last one are repeated; a client recognises them by their ids.
  assert.deepEqual((await second.waitForEvents(2)).map(getNotificationTitle), ["One", "Two"]);
});

test("a stopping server does not wait for live streams", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await followLiveEvents(t, app, { accessToken: await createAccessToken(ann) });
  const readElapsedMs = startStealFreeTimer();
  await app.app.stop();
  assert.ok(readElapsedMs() < STOP_MAX_MS);
});

test("a revoked token opens no live stream", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { id, token } = await ann.client.accessTokens.create({ label: "lost" });
  await ann.client.accessTokens.remove(id);
  await assert.rejects(followLiveEvents(t, app, { accessToken: token }), { status: 401 });
});
