import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addApp,
  APP_ORIGIN,
  createAppFixture,
  expectProofs,
  openStream,
  putMessages,
  sendTo,
  storeNotification,
  TestConnection,
} from "../../test/support/app-fixture.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { AppError } from "#errors.ts";
import type { Subscription } from "./app-streams.ts";
import { readNewEntries } from "./store/read.ts";

test("an app that connects gets what it is owed in the order of the numbers, and its pong proves it", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  await putMessages(fixture, app, ["a", "b", "c"]);
  const { connection } = await openStream(fixture, app);
  await connection.receives(3);
  assert.deepEqual(connection.numbers, [1, 2, 3]);
  assert.deepEqual(connection.pings, [3]);
  assert.equal(connection.received[0]?.message.title, "Hello");
  await expectProofs(fixture, app, ["answered", "answered", "answered"]);
  assert.deepEqual(fixture.proven, ["answered", "answered", "answered"]);
});

test("a message without a pong is still owed, and comes again on the next stream", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  await putMessages(fixture, app, ["a", "b"]);
  const first = await openStream(fixture, app, { answers: false });
  await first.connection.receives(2);
  first.stream.confirm(1);
  await expectProofs(fixture, app, ["answered", null]);
  first.stream.end();
  const second = await openStream(fixture, app, { since: { kind: "none" } });
  await second.connection.receives(1);
  assert.deepEqual(second.connection.numbers, [2]);
  await expectProofs(fixture, app, ["answered", "answered"]);
});

test("new messages are written at once under the topic that the app knows", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const subscriptions: readonly Subscription[] = [
    { topic: "all-x", channel: null },
    { topic: "Back_ups", channel: "back-ups" },
  ];
  const { connection } = await openStream(fixture, app, { subscriptions });
  for (const channel of ["back-ups", "other"]) {
    const outcome = await sendTo(fixture, app, await storeNotification(fixture, app, { channel }));
    assert.deepEqual(outcome, { kind: "accepted", receipt: "answered" });
  }
  assert.deepEqual(
    connection.received.map(({ topic }) => topic),
    ["Back_ups", "all-x"],
  );
});

test("numbers are in order and each message is put once, however many are sent at a time", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const { connection } = await openStream(fixture, app);
  const notifications = await Promise.all(
    Array.from({ length: 60 }, () => storeNotification(fixture, app)),
  );
  await Promise.all(
    [...notifications, ...notifications].map((notification) => sendTo(fixture, app, notification)),
  );
  await connection.receives(60);
  assert.deepEqual(
    connection.numbers,
    Array.from({ length: 60 }, (_, index) => index + 1),
  );
  const ids = new Set(connection.received.map(({ message }) => message.notificationId));
  assert.equal(ids.size, 60);
});

test("an app has at most three streams, and the oldest is destroyed", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const streams = [];
  for (let count = 0; count < 4; count += 1) streams.push(await openStream(fixture, app));
  assert.deepEqual(
    streams.map(({ connection }) => connection.isDestroyed),
    [true, false, false, false],
  );
  assert.deepEqual(fixture.apps.hub.countStreams(), [
    { client: "ntfy", transport: "websocket", count: 3 },
  ]);
});

test("an account has at most 20 apps with streams, on any node", async (t) => {
  const fixture = await createAppFixture(t);
  const first = await addApp(fixture);
  const { accountId } = first;
  const opened = await openStream(fixture, first);
  for (let count = 1; count < 20; count += 1)
    await openStream(fixture, await addApp(fixture, { accountId }));
  const last = await addApp(fixture, { accountId });
  await assert.rejects(
    openStream(fixture, last),
    (error: AppError) => error.code === "rate_limited",
  );
  await openStream(fixture, first);
  opened.stream.end();
  await assert.rejects(openStream(fixture, last));
});

test("an idle connection gets a ping every 45 s, and is destroyed after 60 s without an answer", async (t) => {
  const fixture = await createAppFixture(t);
  fixture.apps.start();
  const { timers } = fixture;
  const app = await addApp(fixture);
  const alive = await openStream(fixture, app);
  const dead = await openStream(fixture, app, { answers: false });
  for (let step = 0; step < 9; step += 1) timers.advance(5_000);
  assert.deepEqual(dead.connection.pings, [0]);
  for (let step = 0; step < 11; step += 1) timers.advance(5_000);
  assert.equal(dead.connection.isDestroyed, false);
  timers.advance(5_000);
  assert.equal(dead.connection.isDestroyed, true);
  assert.equal(alive.connection.isDestroyed, false);
  assert.deepEqual(alive.connection.pings, [0, 0]);
});

test("an app whose connection closes during a write is still owed the message", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const { connection } = await openStream(fixture, app, { transport: "json" });
  connection.isClosed = true;
  const outcome = sendTo(fixture, app, await storeNotification(fixture, app));
  await eventually(
    async () => connection.isDestroyed,
    (isDestroyed) => isDestroyed,
  );
  await eventually(
    async () => fixture.timers.count,
    (count) => count > 0,
  );
  fixture.timers.advance(3_000);
  assert.equal((await outcome).kind, "kept");
  const next = await openStream(fixture, app, { transport: "json" });
  await next.connection.receives(1);
  await expectProofs(fixture, app, ["written"]);
});

test("the end of a secret or the removal of its app destroys its streams, and no others", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const other = await openStream(fixture, await addApp(fixture));
  const token = await fixture.signIn.find(await fixture.signIn.addToken(app, "x", APP_ORIGIN));
  assert.ok(token !== null);
  const byPassword = await openStream(fixture, app);
  const byToken = await openStream(fixture, token);
  await fixture.signIn.endSecret(token, APP_ORIGIN);
  assert.deepEqual(
    [byToken, byPassword].map(({ connection }) => connection.isDestroyed),
    [true, false],
  );
  await fixture.signIn.remove(app, APP_ORIGIN);
  await eventually(
    async () => byPassword.connection.isDestroyed,
    (isDestroyed) => isDestroyed,
  );
  assert.equal(other.connection.isDestroyed, false);
});

test("a stop destroys all streams, and no stream can be opened afterwards", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const { connection } = await openStream(fixture, app);
  await fixture.apps.stop();
  assert.equal(connection.isDestroyed, true);
  await assert.rejects(
    fixture.apps.streams.open(app, new TestConnection(), { kind: "owed" }),
    (error: AppError) => error.code === "unavailable",
  );
});

test("a process that dies after a write and before the pong leaves the message owed", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  await putMessages(fixture, app, ["a"]);
  const { connection } = await openStream(fixture, app, { answers: false });
  await connection.receives(1);
  // The next process knows only the database.
  const next = await createAppFixture(t, { context: fixture.context });
  await next.apps.takeOver(null);
  const reopened = await openStream(next, app);
  await reopened.connection.receives(1);
  await expectProofs(next, app, ["answered"]);
});

test("two nodes that put at the same time give each message one number, and a reader misses none", async (t) => {
  const first = await createAppFixture(t);
  const second = await createAppFixture(t, { context: first.context });
  const app = await addApp(first);
  const { deviceId } = app;
  const total = 80;
  const notifications = await Promise.all(
    Array.from({ length: total }, () => storeNotification(first, app)),
  );
  const seen: number[] = [];
  const reading = (async () => {
    while (seen.length < total) {
      const after = seen.at(-1) ?? 0;
      const page = await readNewEntries(first.context, { deviceId, after, limit: 10 });
      seen.push(...page.map(({ number }) => number));
    }
  })();
  await Promise.all(
    notifications.map(async (notification, index) => {
      await sendTo(index % 2 === 0 ? first : second, app, notification);
      await sendTo(index % 2 === 0 ? second : first, app, notification);
    }),
  );
  await reading;
  assert.deepEqual(
    seen,
    Array.from({ length: total }, (_, index) => index + 1),
  );
});
