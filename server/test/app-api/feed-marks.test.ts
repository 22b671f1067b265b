import assert from "node:assert/strict";
import test from "node:test";
import type { LiveEvent } from "@tocsin/sdk";
import { signUp, startApp, type TestPerson } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { idOf } from "../support/log.ts";
import { join } from "../support/membership.ts";
import { follow, createToken } from "./follow.ts";

const NOT_FOUND = { status: 404, code: "not_found" };

async function send({ client }: Pick<TestPerson, "client">, title: string): Promise<string> {
  return idOf(await client.notify({ title, body: "of the night", channel: "backup" }));
}

async function listTitles({ client }: TestPerson, query: { q?: string; unread?: boolean } = {}) {
  return (await client.feed.list(query)).items.map(({ title }) => title);
}

test("a deleted notification leaves the feed, counts and searches, and is restored as read", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const [first, second] = [await send(ann, "One"), await send(ann, "Two")];
  await ann.client.feed.remove(first);
  assert.deepEqual(await listTitles(ann), ["Two"]);
  assert.deepEqual(await listTitles(ann, { q: "NIGHT" }), ["Two"]);
  const [channel] = (await ann.client.channels.list()).items;
  assert.deepEqual([channel?.unread, channel?.total], [1, 1]);
  await assert.rejects(ann.client.feed.get(first), NOT_FOUND);
  await assert.rejects(ann.client.feed.remove(first), NOT_FOUND);
  await ann.client.feed.markUnread({ ids: [first] });
  await ann.client.feed.markRead({ ids: [first] });
  assert.deepEqual(await listTitles(ann), ["Two"]);
  assert.equal((await ann.client.notifications.get(first)).title, "One");
  await ann.client.feed.restore(first);
  await assert.rejects(ann.client.feed.restore(first), NOT_FOUND);
  assert.deepEqual(await listTitles(ann), ["Two", "One"]);
  assert.deepEqual(await listTitles(ann, { unread: true }), ["Two"]);
  assert.equal((await ann.client.feed.get(second)).title, "Two");
});

test("deleting a team's notification removes it only from the account's feed", async (t) => {
  const app = await startApp(t);
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const team = await ann.client.teams.create({ name: "Ops" });
  await join(ann, team.id, bob);
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

test("undoing a bulk read keeps earlier reads", async (t) => {
  const app = await startApp(t);
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const team = await ann.client.teams.create({ name: "Ops" });
  await join(ann, team.id, bob);
  const { feed } = ann.client;
  const before = await send(ann, "Before");
  await feed.markRead({ ids: [before] });
  const { readAt } = await feed.get(before);
  // Two marks of the same millisecond would be indistinguishable.
  await eventually(
    async () => Date.now(),
    (now) => now > Date.parse(readAt ?? ""),
  );
  const first = await send(ann, "One");
  const second = await send({ client: ann.withKey(team.key) }, "Two");
  await feed.markRead({ upTo: second });
  await bob.client.feed.markRead({ upTo: second });
  const { readAt: markedAt } = await feed.get(first);
  const live = await follow(t, app, { accessToken: await createToken(ann) });
  await feed.markUnread({ readAt: markedAt ?? "" });
  assert.deepEqual(await listTitles(ann, { unread: true }), ["Two", "One"]);
  assert.deepEqual(await listTitles(bob, { unread: true }), []);
  const [event] = await live.received(1);
  const ids = event?.kind === "read" && event.data.kind === "unread" ? event.data.ids : [];
  assert.deepEqual(ids.toSorted(), [first, second]);
  await assert.rejects(feed.markUnread({ readAt: "yesterday" }), { status: 400, field: "readAt" });
});

test("a search that is too long is refused, and its pages continue with a cursor", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  for (const title of ["One", "Two", "Three"]) await send(ann, title);
  const badField = { status: 400, code: "invalid_field", field: "q" };
  await assert.rejects(ann.client.feed.list({ q: "x".repeat(201) }), badField);
  await assert.rejects(ann.client.feed.list({ q: "1 2 3 4 5 6 7 8 9" }), badField);
  assert.deepEqual(await listTitles(ann, { q: "  " }), ["Three", "Two", "One"]);
  const firstPage = await ann.client.feed.list({ q: "night", limit: 2, channel: "backup" });
  const cursor = firstPage.nextCursor ?? assert.fail();
  const rest = await ann.client.feed.list({ q: "night", limit: 2, cursor });
  assert.deepEqual(
    [...firstPage.items, ...rest.items].map(({ title }) => title),
    ["Three", "Two", "One"],
  );
  assert.equal(rest.nextCursor, null);
});

test("other clients get events for read, unread, deleted and restored notifications", async (t) => {
  // Two nodes would not keep the order.
  const app = await startApp(t, { isOneProcess: true });
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const [first, second] = [await send(ann, "One"), await send(ann, "Two")];
  const stream = await follow(t, app, { accessToken: await createToken(ann) });
  const bobStream = await follow(t, app, { accessToken: await createToken(bob) });
  const { feed } = ann.client;
  await feed.markRead({ ids: [first] });
  await feed.markRead({ upTo: second, channel: "backup" });
  await feed.markRead({ upTo: "never-was" });
  await feed.markUnread({ ids: [first] });
  await feed.markUnread({ ids: [] });
  await feed.remove(first);
  await feed.restore(first);
  const events = await stream.received(5);
  const changes = events.map((event) => toChange(event));
  assert.deepEqual(changes, [
    { kind: "read", which: { ids: [first] } },
    { kind: "read", which: { upTo: second, channel: "backup" } },
    { kind: "unread", ids: [first] },
    { kind: "deleted", ids: [first] },
    { kind: "restored", ids: [first] },
  ]);
  const [, bulkRead] = events;
  const readAt =
    bulkRead?.kind === "read" && bulkRead.data.kind === "read" ? bulkRead.data.readAt : "";
  assert.equal((await feed.get(second)).readAt, readAt);
  assert.deepEqual(bobStream.all, []);
});

/** Returns an event's change of the feed without its timestamp, which is checked separately. */
function toChange({ kind, data }: LiveEvent): object {
  if (kind !== "read") return { kind };
  if (data.kind !== "read") return data;
  const { readAt: _readAt, ...change } = data;
  return change;
}
