import assert from "node:assert/strict";
import test from "node:test";
import type { Client, FeedItem, FeedQuery } from "@tocsin/sdk";
import { signUp, startApp, type TestPerson } from "../support/app.ts";
import { createFullContent } from "../support/full-content.ts";
import { eventually } from "../support/eventually.ts";
import { getNotificationId } from "../support/notification-records.ts";
import { addMember } from "../support/team-members.ts";
import { followLiveEvents, createAccessToken } from "./follow-live-events.ts";

/** Sends to each channel, one after another; returns the ids in that order once all are in the feed. */
async function sendAll(
  { client }: Pick<TestPerson, "client">,
  channels: readonly string[],
): Promise<readonly string[]> {
  const countBefore = await countFeed(client);
  const ids = [];
  for (const [index, channel] of channels.entries()) {
    const sendResponse = await client.notifyAsync({ title: `Number ${index}`, body: "", channel });
    ids.push(getNotificationId(sendResponse));
  }
  await eventually(
    () => countFeed(client),
    (total) => total === countBefore + channels.length,
  );
  return ids;
}

async function countFeed(client: Client): Promise<number> {
  const { items } = await client.channels.list();
  return items.reduce((sum, { total }) => sum + total, 0);
}

async function listIds(client: Client, query: FeedQuery = {}): Promise<readonly string[]> {
  return (await client.feed.list(query)).items.map(({ id }) => id);
}

test("120 notifications come in pages of 50, newest first, and a later notification does not shift the pages", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ids = await sendAll(
    ann,
    Array.from({ length: 120 }, () => "feed"),
  );
  const pages: (readonly FeedItem[])[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const query: FeedQuery = cursor === "" ? { limit: 50 } : { limit: 50, cursor };
    const { items, nextCursor } = await ann.client.feed.list(query);
    pages.push(items);

    if (cursor === "") await sendAll(ann, ["feed"]);
    cursor = nextCursor;
  }
  assert.deepEqual(
    pages.map(({ length }) => length),
    [50, 50, 20],
  );
  assert.deepEqual(
    pages.flat().map(({ id }) => id),
    ids.toReversed(),
  );
  assert.equal((await ann.client.feed.list()).items.length, 50);
});

test("a page that ends the list has no cursor", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await sendAll(ann, ["feed", "feed"]);
  assert.equal((await ann.client.feed.list({ limit: 2 })).nextCursor, null);
  assert.notEqual((await ann.client.feed.list({ limit: 1 })).nextCursor, null);
});

const WITHOUT_INCIDENT_OR_PROMPT = {
  incidentId: null,
  incidentState: null,
  promptId: null,
  promptState: null,
  cause: null,
};

test("a feed item has every field of the notification, and the time of its creation", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const content = { ...createFullContent(), priority: "high" } as const;
  const id = getNotificationId(await ann.client.notify(content));
  const [item] = (await ann.client.feed.list()).items;
  const { createdAt, ...rest } = item ?? assert.fail();
  const sender = { teamId: null, teamName: null, keyLabel: null };
  assert.deepEqual(rest, {
    id,
    ...content,
    ...sender,
    ...WITHOUT_INCIDENT_OR_PROMPT,
    readAt: null,
  });
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test("a feed item and its live event name the team and the key", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const team = await ann.client.teams.create({ name: "Ops" });
  await addMember(ann, team.id, bob);
  const pager = { kind: "team", teamId: team.id, label: "Pager" } as const;
  const { id: keyId, key } = await ann.client.keys.create(pager);
  const live = await followLiveEvents(t, app, { accessToken: await createAccessToken(bob) });
  const id = getNotificationId(await ann.withKey(key).notify({ title: "Disk full", body: "" }));
  const expectedNames = { teamId: team.id, teamName: "Ops", keyLabel: "Pager" };
  const [event] = await live.waitForEvents(1);
  assert.partialDeepStrictEqual(event?.data, { id, ...expectedNames });
  assert.partialDeepStrictEqual((await bob.client.feed.list()).items, [{ id, ...expectedNames }]);
  await ann.client.keys.remove(keyId);
  assert.partialDeepStrictEqual(await bob.client.feed.get(id), expectedNames);
});

test("time-sensitive notifications can be filtered", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const alarm = { title: "Fire", body: "", channel: "ops", timeSensitive: true };
  const first = getNotificationId(await client.notify(alarm));
  const second = getNotificationId(await client.notify(alarm));
  await sendAll({ client }, ["feed", "ci"]);
  assert.deepEqual(await listIds(client, { timeSensitive: true }), [second, first]);
  assert.deepEqual(await listIds(client, { timeSensitive: true, limit: 1 }), [second]);
  assert.deepEqual(await listIds(client, { timeSensitive: true, channel: "ci" }), []);
  await client.feed.markRead({ ids: [second] });
  assert.deepEqual(await listIds(client, { timeSensitive: true, unread: true }), [first]);
  assert.equal((await listIds(client, { timeSensitive: false })).length, 4);
});

test("a feed is filtered and marked as read by channel, and filtered by unread", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const [first = "", second = "", third = "", fourth = ""] = await sendAll({ client }, [
    "feed",
    "ci",
    "feed",
    "ci",
  ]);
  assert.deepEqual(await listIds(client, { channel: "ci" }), [fourth, second]);
  await client.feed.markRead({ ids: [fourth, first] });
  assert.deepEqual(await listIds(client, { unread: true }), [third, second]);
  assert.deepEqual(await listIds(client, { channel: "ci", unread: true }), [second]);
  assert.deepEqual(await listIds(client, { unread: false }), [fourth, third, second, first]);
  assert.deepEqual(await listIds(client, { channel: "none" }), []);
  await client.feed.markRead({ upTo: fourth, channel: "feed" });
  assert.deepEqual(await listIds(client, { unread: true }), [second]);
  const { items } = await client.channels.list();
  assert.deepEqual(
    items.map(({ name, unread, total }) => [name, unread, total]),
    [
      ["ci", 1, 2],
      ["feed", 0, 2],
    ],
  );
  assert.match(items[0]?.lastAt ?? "", /Z$/);
  await client.feed.markRead({ upTo: fourth });
  assert.deepEqual(await listIds(client, { unread: true }), []);
});

test("an invalid query or read mark is refused with the field's name", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const createFieldError = (field: string) => ({ status: 400, code: "invalid_field", field });
  for (const limit of [0, 201, 1.5, -1]) {
    await assert.rejects(client.feed.list({ limit }), createFieldError("limit"));
  }
  await assert.rejects(client.feed.list({ cursor: "%%%" }), createFieldError("cursor"));
  await assert.rejects(client.feed.list({ channel: "a/b" }), createFieldError("channel"));
  // A request marks at most 1,000 notifications.
  const tooManyIds = Array.from({ length: 1_001 }, () => "x");
  await assert.rejects(client.feed.markRead({ ids: tooManyIds }), createFieldError("ids"));
  await client.feed.markRead({ ids: tooManyIds.slice(1) });
  await assert.rejects(client.feed.markRead({ upTo: "" }), createFieldError("upTo"));
  // The SDK's types do not allow these marks, but other clients may send them.
  for (const mark of [{}, { ids: [], upTo: "x" }]) {
    await assert.rejects(client.feed.markRead(mark as { ids: string[] }), createFieldError("ids"));
  }
  const { token } = await client.accessTokens.create({ label: "raw" });
  const headers = { authorization: `Bearer ${token}` };
  const path = `${app.url}/api/app/v1/feed`;
  assert.equal((await fetch(`${path}?unread=maybe`, { headers })).status, 400);
  assert.equal((await fetch(`${path}?limit=5&limit=6`, { headers })).status, 400);
  assert.equal((await fetch(`${path}?unread=TRUE&channel=`, { headers })).status, 200);
});

test("members have separate read marks, and a former member keeps received notifications", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const team = await ann.client.teams.create({ name: "Ops" });
  const sender = { client: ann.withKey(team.key) };
  await sendAll(sender, ["feed"]);
  const bobAccountId = await addMember(ann, team.id, bob);
  const [firstId = ""] = await sendAll(sender, ["feed"]);
  assert.deepEqual(await listIds(bob.client), [firstId]);
  assert.equal((await bob.client.feed.list()).items[0]?.teamId, team.id);
  await bob.client.feed.markRead({ upTo: firstId });
  assert.equal((await ann.client.feed.list({ unread: true })).items.length, 2);
  await ann.client.teams.removeMember(team.id, bobAccountId);
  await sendAll(sender, ["feed"]);
  assert.deepEqual(await listIds(bob.client), [firstId]);
  await addMember(ann, team.id, bob);
  const [idAfterRejoining = ""] = await sendAll(sender, ["feed"]);
  assert.deepEqual(await listIds(bob.client), [idAfterRejoining, firstId]);
  assert.equal((await listIds(ann.client)).length, 4);
});
