import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addApp,
  createAppFixture,
  expectProofs,
  fetchMessages,
  fetchPage,
  openStream,
  putMessages,
  sendTo,
  storeNotification,
} from "../../test/support/app-fixture.ts";
import type { Since } from "./app-streams.ts";

test("without pings, the write is the proof, and a later position is a better proof", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const [firstId = ""] = await putMessages(fixture, app, ["a", "b"]);
  const first = await openStream(fixture, app, { transport: "json" });
  await first.connection.receives(2);
  await expectProofs(fixture, app, ["written", "written"]);
  first.stream.end();
  const second = await openStream(fixture, app, {
    transport: "json",
    since: { kind: "id", id: firstId },
  });
  await second.connection.receives(1);
  assert.deepEqual(second.connection.numbers, [2]);
  await expectProofs(fixture, app, ["resumed", "written"]);
});

test("each kind of position selects its messages, and the owed ones come with all of them", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const startedAt = fixture.context.now();
  const [, secondId = ""] = await putMessages(fixture, app, ["a", "b", "c"]);
  const first = await openStream(fixture, app, { transport: "json" });
  await first.connection.receives(3);
  await expectProofs(fixture, app, ["written", "written", "written"]);
  first.stream.end();
  await putMessages(fixture, app, ["d"]);
  const cases: readonly (readonly [Since, readonly number[]])[] = [
    [{ kind: "owed" }, [4]],
    [{ kind: "none" }, [4]],
    [{ kind: "all" }, [1, 2, 3, 4]],
    [{ kind: "latest" }, [4]],
    [{ kind: "time", at: startedAt + 1_000 }, [2, 3, 4]],
    [{ kind: "time", at: startedAt + 1_000_000 }, [4]],
    [{ kind: "id", id: "unknown" }, [1, 2, 3, 4]],
    [{ kind: "id", id: secondId }, [3, 4]],
  ];
  for (const [since, numbers] of cases) {
    const { connection, stream } = await openStream(fixture, app, { since, answers: false });
    await connection.receives(numbers.length);
    assert.deepEqual(connection.numbers, numbers, JSON.stringify(since));
    stream.end();
  }
});

test("a position proves nothing that the filter of the app left out", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const [, , lastId = ""] = await putMessages(fixture, app, ["a", "b", "a"]);
  const poll = {
    subscriptions: [{ topic: "all-x", channel: null }],
    isFiltered: true,
    matches: ({ channel }: { readonly channel: string }) => channel === "a",
    notificationId: null,
  };
  const messages = await fetchMessages(fixture, app, { ...poll, since: { kind: "all" } });
  assert.deepEqual(
    messages.map(({ message }) => message.number),
    [1, 3],
  );
  await fetchMessages(fixture, app, { ...poll, since: { kind: "id", id: lastId } });
  await expectProofs(fixture, app, ["fetched", null, "fetched"]);
});

test("an expired message is never written", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const expiresAt = fixture.context.now() + 60_000;
  const notification = await storeNotification(fixture, app, { expiresAt });
  await sendTo(fixture, app, notification);
  fixture.context.clock.advance(60_000);
  await putMessages(fixture, app, ["later"]);
  const { connection } = await openStream(fixture, app, { since: { kind: "all" } });
  await connection.receives(1);
  assert.deepEqual(connection.numbers, [2]);
  const messages = await fetchMessages(fixture, app, {
    subscriptions: connection.subscriptions,
    since: { kind: "all" },
    matches: () => true,
    notificationId: null,
  });
  assert.deepEqual(
    messages.map(({ message }) => message.number),
    [2],
  );
});

test("a poll and a list record their messages as fetched, and the app can remove messages from the list", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture, { client: "gotify" });
  const [firstId = ""] = await putMessages(fixture, app, ["a", "b", "a"]);
  const { streams } = fixture.apps;
  const one = await fetchMessages(fixture, app, {
    subscriptions: [{ topic: "t", channel: null }],
    since: { kind: "all" },
    matches: () => true,
    notificationId: firstId,
  });
  assert.deepEqual(
    one.map(({ topic, message }) => [topic, message.number]),
    [["t", 1]],
  );
  await expectProofs(fixture, app, ["fetched", null, null]);
  const page = await fetchPage(fixture, app, { channel: "a", before: null, limit: 1 });
  assert.deepEqual(
    page.map(({ number }) => number),
    [3],
  );
  await expectProofs(fixture, app, ["fetched", null, "fetched"]);
  const older = await fetchPage(fixture, app, { channel: null, before: 3, limit: 10 });
  assert.deepEqual(
    older.map(({ number }) => number),
    [2, 1],
  );
  assert.deepEqual(await streams.listChannels(app), ["a", "b"]);
  await streams.removeFromList(app, { number: null, channel: "b" });
  assert.deepEqual(await streams.listChannels(app), ["a"]);
  await streams.removeFromList(app, { number: 1, channel: null });
  assert.equal(fixture.removed.length, 2);
  assert.deepEqual(
    (await fetchPage(fixture, app, { channel: null, before: null, limit: 10 })).map(
      ({ number }) => number,
    ),
    [3],
  );
});
