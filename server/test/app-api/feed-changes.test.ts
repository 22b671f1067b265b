import assert from "node:assert/strict";
import test from "node:test";
import type { LiveEvent } from "@tocsin/sdk";
import { signUp, startApp, type TestPerson } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { getNotificationId } from "../support/notification-records.ts";
import { addMember } from "../support/team-members.ts";
import { followLiveEvents, createAccessToken } from "./follow-live-events.ts";

const NOT_FOUND = { status: 404, code: "not_found" };

async function send({ client }: Pick<TestPerson, "client">, title: string): Promise<string> {
  return getNotificationId(await client.notify({ title, body: "of the night", channel: "backup" }));
}

async function listTitles({ client }: TestPerson, query: { q?: string; unread?: boolean } = {}) {
  return (await client.feed.list(query)).items.map(({ title }) => title);
}

test("a deleted notification is missing from feed, counts and search until it is restored", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const firstId = await send(ann, "One");
  const secondId = await send(ann, "Two");
  await ann.client.feed.remove(firstId);
  assert.deepEqual(await listTitles(ann), ["Two"]);
  assert.deepEqual(await listTitles(ann, { q: "NIGHT" }), ["Two"]);
  const [channel] = (await ann.client.channels.list()).items;
  assert.deepEqual([channel?.unread, channel?.total], [1, 1]);
  await assert.rejects(ann.client.feed.get(firstId), NOT_FOUND);
  await assert.rejects(ann.client.feed.remove(firstId), NOT_FOUND);
  await ann.client.feed.markUnread({ ids: [firstId] });
  await ann.client.feed.markRead({ ids: [firstId] });
  assert.deepEqual(await listTitles(ann), ["Two"]);
  assert.equal((await ann.client.notifications.get(firstId)).title, "One");
  await ann.client.feed.restore(firstId);
  await assert.rejects(ann.client.feed.restore(firstId), NOT_FOUND);
  assert.deepEqual(await listTitles(ann), ["Two", "One"]);
  assert.deepEqual(await listTitles(ann, { unread: true }), ["Two"]);
  assert.equal((await ann.client.feed.get(secondId)).title, "Two");
});

test("a member deletes a team's notification only from their own feed; to other accounts it looks missing", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const team = await ann.client.teams.create({ name: "Ops" });
  await addMember(ann, team.id, bob);
  const id = await send({ client: ann.withKey(team.key) }, "For all");
  await bob.client.feed.remove(id);
  assert.deepEqual([await listTitles(ann), await listTitles(bob)], [["For all"], []]);
  const eve = await signUp(app, "Eve");
  await assert.rejects(eve.client.feed.remove(id), NOT_FOUND);
  await assert.rejects(eve.client.feed.restore(id), NOT_FOUND);
});

test("a read notification can be marked as unread", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const id = await send(ann, "One");
  await ann.client.feed.markRead({ ids: [id] });
  assert.deepEqual(await listTitles(ann, { unread: true }), []);
  await ann.client.feed.markUnread({ ids: [id] });
  assert.deepEqual(await listTitles(ann, { unread: true }), ["One"]);
});

test("undoing “mark all as read” keeps notifications that were read before", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const team = await ann.client.teams.create({ name: "Ops" });
  await addMember(ann, team.id, bob);
  const { feed } = ann.client;
  const earlierId = await send(ann, "Before");
  await feed.markRead({ ids: [earlierId] });
  const { readAt } = await feed.get(earlierId);
  // Two reads in the same millisecond would be indistinguishable.
  await eventually(
    async () => Date.now(),
    (now) => now > Date.parse(readAt ?? ""),
  );
  const firstId = await send(ann, "One");
  const secondId = await send({ client: ann.withKey(team.key) }, "Two");
  await feed.markRead({ upTo: secondId });
  await bob.client.feed.markRead({ upTo: secondId });
  const { readAt: markedAt } = await feed.get(firstId);
  const stream = await followLiveEvents(t, app, { accessToken: await createAccessToken(ann) });
  await feed.markUnread({ readAt: markedAt ?? "" });
  assert.deepEqual(await listTitles(ann, { unread: true }), ["Two", "One"]);
  assert.deepEqual(await listTitles(bob, { unread: true }), []);
  const [event] = await stream.waitForEvents(1);
  const ids = event?.kind === "read" && event.data.kind === "unread" ? event.data.ids : [];
  assert.deepEqual(ids.toSorted(), [firstId, secondId]);
  await assert.rejects(feed.markUnread({ readAt: "yesterday" }), { status: 400, field: "readAt" });
});

test("a search of more than 200 characters or eight words is refused", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const badField = { status: 400, code: "invalid_field", field: "q" };
  await assert.rejects(ann.client.feed.list({ q: "x".repeat(201) }), badField);
  await assert.rejects(ann.client.feed.list({ q: "1 2 3 4 5 6 7 8 9" }), badField);
});

test("the pages of a search continue with a cursor", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  for (const title of ["One", "Two", "Three"]) await send(ann, title);
  assert.deepEqual(await listTitles(ann, { q: "  " }), ["Three", "Two", "One"]);
  const firstPage = await ann.client.feed.list({ q: "night", limit: 2, channel: "backup" });
  const cursor = firstPage.nextCursor ?? assert.fail();
  const secondPage = await ann.client.feed.list({ q: "night", limit: 2, cursor });
  assert.deepEqual(
    [...firstPage.items, ...secondPage.items].map(({ title }) => title),
    ["Three", "Two", "One"],
  );
  assert.equal(secondPage.nextCursor, null);
});

test("an account's other clients get events for read, unread, deleted and restored notifications", async (t) => {
  // With two nodes, the order of the events is not guaranteed.
  const app = await startApp(t, { isSingleProcess: true });
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const firstId = await send(ann, "One");
  const secondId = await send(ann, "Two");
  const stream = await followLiveEvents(t, app, { accessToken: await createAccessToken(ann) });
  const bobStream = await followLiveEvents(t, app, { accessToken: await createAccessToken(bob) });
  const { feed } = ann.client;
  await feed.markRead({ ids: [firstId] });
  await feed.markRead({ upTo: secondId, channel: "backup" });
  await feed.markRead({ upTo: "never-was" });
  await feed.markUnread({ ids: [firstId] });
  await feed.markUnread({ ids: [] });
  await feed.remove(firstId);
  await feed.restore(firstId);
  const events = await stream.waitForEvents(5);
  const changes = events.map((event) => toChange(event));
  assert.deepEqual(changes, [
    { kind: "read", which: { ids: [firstId] } },
    { kind: "read", which: { upTo: secondId, channel: "backup" } },
    { kind: "unread", ids: [firstId] },
    { kind: "deleted", ids: [firstId] },
    { kind: "restored", ids: [firstId] },
  ]);
  const [, bulkRead] = events;
  const readAt =
    bulkRead?.kind === "read" && bulkRead.data.kind === "read" ? bulkRead.data.readAt : "";
  assert.equal((await feed.get(secondId)).readAt, readAt);
  assert.deepEqual(bobStream.events, []);
});

/** Returns an event's change of the feed without its timestamp, which is checked separately. */
function toChange({ kind, data }: LiveEvent): object {
  if (kind !== "read") return { kind };
  if (data.kind !== "read") return data;
  const { readAt: _readAt, ...change } = data;
  return change;
}
