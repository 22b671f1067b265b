import assert from "node:assert/strict";
import test from "node:test";
import type { LiveEvent } from "@tocsin/sdk";
import { signUp, startApp, type TestPerson } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { idOf } from "../support/log.ts";
import { join } from "../support/membership.ts";
import { follow, tokenOf } from "./follow.ts";

const NOT_FOUND = { status: 404, code: "not_found" };

async function send({ client }: Pick<TestPerson, "client">, title: string): Promise<string> {
  return idOf(await client.notify({ title, body: "of the night", channel: "backup" }));
}

async function titlesOf({ client }: TestPerson, query: { q?: string; unread?: boolean } = {}) {
  return (await client.feed.list(query)).items.map(({ title }) => title);
}

test("a deleted notification is gone from one's feed, counts and searches, and comes back as read", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const [one, two] = [await send(ann, "One"), await send(ann, "Two")];
  await ann.client.feed.remove(one);
  assert.deepEqual(await titlesOf(ann), ["Two"]);
  assert.deepEqual(await titlesOf(ann, { q: "NIGHT" }), ["Two"]);
  const [channel] = (await ann.client.channels.list()).items;
  assert.deepEqual([channel?.unread, channel?.total], [1, 1]);
  await assert.rejects(ann.client.feed.get(one), NOT_FOUND);
  await assert.rejects(ann.client.feed.remove(one), NOT_FOUND);
  await ann.client.feed.markUnread({ ids: [one] });
  await ann.client.feed.markRead({ ids: [one] });
  assert.deepEqual(await titlesOf(ann), ["Two"]);
  assert.equal((await ann.client.notifications.get(one)).title, "One");
  await ann.client.feed.restore(one);
  await assert.rejects(ann.client.feed.restore(one), NOT_FOUND);
  assert.deepEqual(await titlesOf(ann), ["Two", "One"]);
  assert.deepEqual(await titlesOf(ann, { unread: true }), ["Two"]);
  assert.equal((await ann.client.feed.get(two)).title, "Two");
});

test("a member who deletes a team's notification takes it from nobody else", async (t) => {
  const app = await startApp(t);
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const team = await ann.client.teams.create({ name: "Ops" });
  await join(ann, team.id, bob);
  const id = await send({ client: ann.withKey(team.key) }, "For all");
  await bob.client.feed.remove(id);
  assert.deepEqual([await titlesOf(ann), await titlesOf(bob)], [["For all"], []]);
  const eve = await signUp(app, "Eve");
  await assert.rejects(eve.client.feed.remove(id), NOT_FOUND);
  await assert.rejects(eve.client.feed.restore(id), NOT_FOUND);
});

test("a read notification can be unread again", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const id = await send(ann, "One");
  await ann.client.feed.markRead({ ids: [id] });
  assert.deepEqual(await titlesOf(ann, { unread: true }), []);
  await ann.client.feed.markUnread({ ids: [id] });
  assert.deepEqual(await titlesOf(ann, { unread: true }), ["One"]);
});

test("notifications marked together are unread again together, and none that was read before", async (t) => {
  const app = await startApp(t);
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const team = await ann.client.teams.create({ name: "Ops" });
  await join(ann, team.id, bob);
  const { feed } = ann.client;
  const before = await send(ann, "Before");
  await feed.markRead({ ids: [before] });
  const { readAt } = await feed.get(before);
  // Two marks of one millisecond could not be told apart.
  await eventually(
    async () => Date.now(),
    (now) => now > Date.parse(readAt ?? ""),
  );
  const one = await send(ann, "One");
  const two = await send({ client: ann.withKey(team.key) }, "Two");
  await feed.markRead({ upTo: two });
  await bob.client.feed.markRead({ upTo: two });
  const { readAt: moment } = await feed.get(one);
  const live = await follow(t, app, { accessToken: await tokenOf(ann) });
  await feed.markUnread({ readAt: moment ?? "" });
  assert.deepEqual(await titlesOf(ann, { unread: true }), ["Two", "One"]);
  assert.deepEqual(await titlesOf(bob, { unread: true }), []);
  const [told] = await live.received(1);
  const ids = told?.kind === "read" && told.data.kind === "unread" ? told.data.ids : [];
  assert.deepEqual(ids.toSorted(), [one, two]);
  await assert.rejects(feed.markUnread({ readAt: "yesterday" }), { status: 400, field: "readAt" });
});

test("a search that is too long is refused, and pages of one go on by their cursor", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  for (const title of ["One", "Two", "Three"]) await send(ann, title);
  const badField = { status: 400, code: "invalid_field", field: "q" };
  await assert.rejects(ann.client.feed.list({ q: "x".repeat(201) }), badField);
  await assert.rejects(ann.client.feed.list({ q: "1 2 3 4 5 6 7 8 9" }), badField);
  assert.deepEqual(await titlesOf(ann, { q: "  " }), ["Three", "Two", "One"]);
  const first = await ann.client.feed.list({ q: "night", limit: 2, channel: "backup" });
  const cursor = first.nextCursor ?? assert.fail();
  const rest = await ann.client.feed.list({ q: "night", limit: 2, cursor });
  assert.deepEqual(
    [...first.items, ...rest.items].map(({ title }) => title),
    ["Three", "Two", "One"],
  );
  assert.equal(rest.nextCursor, null);
});

test("other clients of the account are told at once what was read, unread, deleted and restored", async (t) => {
  // Between two nodes the order is not kept.
  const app = await startApp(t, { isOneProcess: true });
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const [one, two] = [await send(ann, "One"), await send(ann, "Two")];
  const stream = await follow(t, app, { accessToken: await tokenOf(ann) });
  const foreign = await follow(t, app, { accessToken: await tokenOf(bob) });
  const { feed } = ann.client;
  await feed.markRead({ ids: [one] });
  await feed.markRead({ upTo: two, channel: "backup" });
  await feed.markRead({ upTo: "never-was" });
  await feed.markUnread({ ids: [one] });
  await feed.markUnread({ ids: [] });
  await feed.remove(one);
  await feed.restore(one);
  const events = await stream.received(5);
  const changes = events.map((event) => changeOf(event));
  assert.deepEqual(changes, [
    { kind: "read", which: { ids: [one] } },
    { kind: "read", which: { upTo: two, channel: "backup" } },
    { kind: "unread", ids: [one] },
    { kind: "deleted", ids: [one] },
    { kind: "restored", ids: [one] },
  ]);
  const [, second] = events;
  const readAt = second?.kind === "read" && second.data.kind === "read" ? second.data.readAt : "";
  assert.equal((await feed.get(two)).readAt, readAt);
  assert.deepEqual(foreign.all, []);
});

/** An event's facts about the feed; its moment is checked apart. */
function changeOf({ kind, data }: LiveEvent): object {
  if (kind !== "read") return { kind };
  if (data.kind !== "read") return data;
  const { readAt: _readAt, ...change } = data;
  return change;
}
