import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { startApp, signUp } from "../support/app.ts";
import { TestClock } from "../support/room.ts";
import { ask, codeOf, comparable, HELLO, post } from "./ask.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INVALID_KEY = { status: 401, code: "invalid_key" };

/** Everything that is no key, as people and templates send it. */
const NO_KEYS = [
  "<API_KEY>",
  "YOUR_API_KEY",
  "${API_KEY}",
  "group",
  "undefined",
  "00000000-0000-0000-0000-000000000000",
  "3b1f8b9e-6f43-1d5c-9a2b-0c9d1e2f3a4b",
  "3b1f8b9e-6f43-4d5c-7a2b-0c9d1e2f3a4b",
  "3b1f8b9e6f434d5c9a2b0c9d1e2f3a4b",
  "{3b1f8b9e-6f43-4d5c-9a2b-0c9d1e2f3a4b}",
  "x".repeat(4_000),
] as const;

test("account keys and team keys are UUIDs of version 4 in lower case, and shown once", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const account = await client.keys.create({ kind: "account", label: "CI" });
  const team = await client.teams.create({ name: "Ops" });
  const more = await client.keys.create({ kind: "team", teamId: team.id });
  for (const { key } of [account, team, more]) assert.match(key, UUID_V4);
  const listed = JSON.stringify(await client.keys.list());
  for (const { key } of [account, team, more]) assert.ok(!listed.includes(key));
  assert.ok(listed.includes(`"hint":"${account.key.slice(-4)}"`));
});

test("a key is accepted in any letter case, in the header and in the path", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const upper = key.toUpperCase();
  const mixed = `${upper.slice(0, 18)}${key.slice(18)}`;
  for (const written of [key, upper, mixed]) {
    const client = createClient({ baseUrl: app.url, apiKey: written });
    assert.equal((await client.notifyAsync(HELLO)).success, true);
    assert.deepEqual((await client.notifyWithKey(written, HELLO)).responses, []);
    assert.deepEqual((await client.notifyWebhook(written, HELLO)).responses, []);
  }
});

test("a text that is no key is 401 on every path that takes one", async (t) => {
  const app = await startApp(t);
  for (const key of NO_KEYS) {
    const client = createClient({ baseUrl: app.url, apiKey: key });
    await assert.rejects(client.notify(HELLO), INVALID_KEY, key);
    await assert.rejects(client.notifyAsync(HELLO), INVALID_KEY, key);
    await assert.rejects(client.notifyGroup("g", HELLO), INVALID_KEY, key);
    await assert.rejects(client.notifyWithKey(key, HELLO), INVALID_KEY, key);
    await assert.rejects(client.notifyWebhook(key, HELLO), INVALID_KEY, key);
    const member = { team: randomUUID(), email: "bob@example.org" };
    await assert.rejects(client.management.invite(member), INVALID_KEY, key);
    await assert.rejects(client.management.remove(member), INVALID_KEY, key);
  }
});

test("a text that is no key is refused without asking the database", async (t) => {
  const app = await startApp(t);
  await app.app.context.database.db.schema.dropTable("api_key").execute();
  for (const key of NO_KEYS) {
    assert.equal(codeOf(await post(app.url, { key, body: HELLO })), "invalid_key");
  }
  assert.equal(codeOf(await post(app.url, { key: randomUUID(), body: HELLO })), "internal");
});

test("no key at all is 401 missing_key", async (t) => {
  const { url } = await startApp(t);
  for (const path of ["/notify", "/notify-async", "/notify/group/g"]) {
    for (const headers of [{}, { "x-api-key": "" }]) {
      const answer = await ask(url, {
        method: "POST",
        path: `/api/v1${path}`,
        headers,
        body: HELLO,
      });
      assert.deepEqual([answer.status, codeOf(answer)], [401, "missing_key"], path);
    }
  }
});

test("the word group and a group without a name are keys that are not valid", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  for (const path of ["/api/v1/notify/group", "/api/v1/notify/group/"]) {
    const answer = await post(app.url, { key, path, body: HELLO });
    assert.deepEqual([answer.status, codeOf(answer)], [401, "invalid_key"]);
  }
});

test("a key in the path wins over one in the header", async (t) => {
  const app = await startApp(t);
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const path = (key: string) => `/api/v1/notify/${key}`;
  const sent = await post(app.url, { key: bob.key, path: path(ann.key), body: HELLO });
  assert.equal(sent.status, 200);
  const [own] = (await ann.client.notifications.list()).items;
  assert.equal(own?.id, sent.headers["x-notification-id"]);
  assert.deepEqual((await bob.client.notifications.list()).items, []);
  const refused = await post(app.url, { key: bob.key, path: path(randomUUID()), body: HELLO });
  assert.equal(codeOf(refused), "invalid_key");
});

test("placeholder, unknown, revoked and expired keys get the same bytes", async (t) => {
  const clock = new TestClock();
  const app = await startApp(t, { now: clock.now });
  const { client } = await signUp(app, "Ann");
  const expiresAt = new Date(clock.now() + 60_000).toISOString();
  const expiring = await client.keys.create({ kind: "account", expiresAt });
  const revoked = await client.keys.create({ kind: "account" });
  for (const { key } of [expiring, revoked]) {
    assert.equal((await post(app.url, { key, body: HELLO })).status, 200);
  }
  await client.keys.remove(revoked.id);
  clock.advance(60_000);
  const answers = new Set<string>();
  for (const key of ["<API_KEY>", "group", randomUUID(), revoked.key, expiring.key]) {
    answers.add(comparable(await post(app.url, { key, body: HELLO })));
    const path = `/api/v1/notify/${encodeURIComponent(key)}`;
    answers.add(comparable(await ask(app.url, { method: "POST", path, body: HELLO })));
    answers.add(comparable(await ask(app.url, { path: `${path}?title=a&body=b` })));
  }
  assert.equal(answers.size, 1);
  assert.match([...answers][0] ?? "", /^401 .*"message":"Invalid API key, authentication failed"/);
});

test("a rotated key is valid beside the new one until the overlap ends", async (t) => {
  const clock = new TestClock();
  const app = await startApp(t, { now: clock.now });
  const ann = await signUp(app, "Ann");
  const { client } = ann;
  const old = await client.keys.create({ kind: "account", label: "CI" });
  const next = await client.keys.rotate(old.id, { overlapSeconds: 60 });
  assert.equal(next.label, "CI");
  clock.advance(59_999);
  for (const { key } of [old, next]) await ann.withKey(key).notify(HELLO);
  clock.advance(1);
  await assert.rejects(ann.withKey(old.key).notify(HELLO), INVALID_KEY);
  await ann.withKey(next.key).notify(HELLO);
});

test("the last use of a key is known after a restart, and its secret is not in the database", async (t) => {
  const clock = new TestClock();
  const first = await startApp(t, { now: clock.now });
  const { client, key } = await signUp(first, "Ann");
  clock.advance(5_000);
  const usedAt = new Date(clock.now()).toISOString();
  await client.notify(HELLO);
  await first.app.stop();
  const second = await startApp(t, { now: clock.now, dataDir: first.dataDir });
  const { db } = second.app.context.database;
  const rows = await db.selectFrom("api_key").selectAll().execute();
  assert.deepEqual(
    rows.map(({ last_used_at: at }) => new Date(at ?? 0).toISOString()),
    [usedAt],
  );
  assert.ok(!JSON.stringify(rows).includes(key));
});

test("five requests with one key within a second are all taken", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const sent = await Promise.all(Array.from({ length: 5 }, () => client.notify(HELLO)));
  assert.equal(new Set(sent.map(({ notificationId }) => notificationId)).size, 5);
});
