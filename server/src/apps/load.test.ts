import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addApp,
  createAppFixture,
  fetchMessages,
  putMessages,
  storeNotification,
  type AppFixture,
} from "../../test/support/app-fixture.ts";
import type { Proof, SignedInApp } from "./app.ts";
import type { FetchInput, Subscription } from "./app-streams.ts";

/** The limits of the response to a poll, as in `fetch.ts`. */
const FETCHED_MAX = 1_000;
const FETCHED_MAX_CHARACTERS = 2 * 1024 * 1024;

/** Fills a mailbox with messages of these channels, from number 1. */
async function fillMailbox(
  fixture: AppFixture,
  app: SignedInApp,
  channels: readonly string[],
  { how = null, body = "Hello" }: { readonly how?: Proof | null; readonly body?: string } = {},
) {
  const { database, now } = fixture.context;
  const notificationIds: string[] = [];
  // If all were stored at once, some would wait too long for a connection to PostgreSQL.
  for (let start = 0; start < channels.length; start += 100) {
    const stored = await Promise.all(
      channels
        .slice(start, start + 100)
        .map((channel) => storeNotification(fixture, app, { channel, body })),
    );
    notificationIds.push(...stored.map(({ id }) => id));
  }
  const ids = notificationIds.toSorted();
  const rows = ids.map((id, index) => ({
    device_id: app.deviceId,
    number: index + 1,
    notification_id: id,
    expires_at: now() + 3_600_000,
    put_at: now(),
    taken_at: how === null ? null : now(),
    how,
    removed_at: null,
  }));
  for (let start = 0; start < rows.length; start += 500)
    await database.db
      .insertInto("mailbox")
      .values(rows.slice(start, start + 500))
      .execute();
  await database.db
    .updateTable("connected_app")
    .set({ last_number: rows.length })
    .where("device_id", "=", app.deviceId)
    .execute();
}

function toPoll(topics: readonly string[], options: Partial<FetchInput> = {}): FetchInput {
  const subscriptions: readonly Subscription[] = topics.map((topic) => ({ topic, channel: topic }));
  return {
    subscriptions,
    since: { kind: "all" },
    matches: () => true,
    notificationId: null,
    ...options,
  };
}

test("a poll finds a message of a quiet channel behind more messages of a noisy one than it can return", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  await fillMailbox(
    fixture,
    app,
    Array.from({ length: FETCHED_MAX + 100 }, () => "noisy"),
  );
  const [id] = await putMessages(fixture, app, ["quiet"]);
  const messages = await fetchMessages(fixture, app, toPoll(["quiet"]));
  assert.deepEqual(
    messages.map(({ message }) => message.notificationId),
    [id],
  );
  const { length } = await fetchMessages(fixture, app, toPoll(["noisy", "quiet"]));
  assert.equal(length, FETCHED_MAX);
});

test("a poll of long messages ends early, and the next poll continues after its last message", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const channels = Array.from({ length: 150 }, () => "noisy");
  const body = "x".repeat(32_000);
  await fillMailbox(fixture, app, channels, { body });
  const first = await fetchMessages(fixture, app, toPoll(["noisy"]));
  assert.equal(first.length, Math.ceil(FETCHED_MAX_CHARACTERS / body.length));
  const id = first.at(-1)?.message.notificationId ?? "";
  const poll = toPoll(["noisy"], { since: { kind: "id", id } });
  const numbers = [...first, ...(await fetchMessages(fixture, app, poll))].map(
    ({ message }) => message.number,
  );
  assert.deepEqual(
    numbers,
    Array.from({ length: 2 * first.length }, (_, index) => index + 1),
  );
});

test("concurrent polls for the same messages record each message once", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  await fillMailbox(
    fixture,
    app,
    Array.from({ length: FETCHED_MAX }, () => "noisy"),
  );
  const polls = Array.from({ length: 40 }, () => fetchMessages(fixture, app, toPoll(["noisy"])));
  for (const messages of await Promise.all(polls)) assert.equal(messages.length, FETCHED_MAX);
  assert.equal(fixture.proven.length, FETCHED_MAX);
});

test("an app that polls for more and more topics listens to the latest 500 channels", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  for (let round = 0; round < 4; round += 1) {
    const topics = Array.from({ length: 300 }, (_, index) => `t${round}-${index}`);
    await fetchMessages(fixture, app, toPoll(topics));
  }
  const { channels } = await fixture.context.database.db
    .selectFrom("connected_app")
    .select("channels")
    .where("device_id", "=", app.deviceId)
    .executeTakeFirstOrThrow();
  const listened = JSON.parse(channels ?? "[]") as readonly string[];
  assert.equal(listened.length, 500);

  assert.ok(listened.includes("t3-0"));
  assert.ok(!listened.includes("t0-0"));
});

test("the latest messages of many topics are found quickly in a long mailbox", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  await fillMailbox(
    fixture,
    app,
    Array.from({ length: 3_000 }, (_, index) => (index % 2 === 0 ? "noisy" : "feed")),
    { how: "fetched" },
  );
  const topics = ["noisy", "feed", ...Array.from({ length: 400 }, (_, index) => `t${index}`)];
  const startedAt = performance.now();
  const poll = toPoll(topics, { since: { kind: "latest" } });
  const messages = await fetchMessages(fixture, app, poll);
  assert.deepEqual(
    messages.map(({ message: { number, channel } }) => [number, channel]),
    [
      [2_999, "noisy"],
      [3_000, "feed"],
    ],
  );
  assert.ok(performance.now() - startedAt < 250);
});
