import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { startApp, signUp } from "../support/app.ts";
import { TestClock } from "../support/test-clock.ts";
import { requestJson, parseErrorCode, toComparable, HELLO, post } from "./http-requests.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INVALID_KEY = { status: 401, code: "invalid_key" };

/** Invalid keys, as people and templates send them. */
const INVALID_KEYS = [
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

test("account keys and team keys are lower-case UUIDs of version 4, and shown once", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const account = await client.keys.create({ kind: "account", label: "CI" });
  const team = await client.teams.create({ name: "Ops" });
  const secondTeamKey = await client.keys.create({ kind: "team", teamId: team.id });
  for (const { key } of [account, team, secondTeamKey]) assert.match(key, UUID_V4);
  const listedKeysText = JSON.stringify(await client.keys.list());
  for (const { key } of [account, team, secondTeamKey]) assert.ok(!listedKeysText.includes(key));
  assert.ok(listedKeysText.includes(`"hint":"${account.key.slice(-4)}"`));
});

test("a key is accepted in any letter case, in the header and in the path", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const upper = key.toUpperCase();
  const mixed = `${upper.slice(0, 18)}${key.slice(18)}`;
  for (const variant of [key, upper, mixed]) {
    const client = createClient({ baseUrl: app.url, apiKey: variant });
    assert.equal((await client.notifyAsync(HELLO)).success, true);
    assert.deepEqual((await client.notifyWithKey(variant, HELLO)).responses, []);
    assert.deepEqual((await client.notifyWebhook(variant, HELLO)).responses, []);
  }
});

test("an invalid key is 401 on every path that accepts a key", async (t) => {
  const app = await startApp(t);
  for (const key of INVALID_KEYS) {
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

test("a malformed key is refused without a database query", async (t) => {
  const app = await startApp(t);
  await app.app.context.database.db.schema.dropTable("api_key").execute();
  for (const key of INVALID_KEYS) {
    assert.equal(parseErrorCode(await post(app.url, { key, body: HELLO })), "invalid_key");
  }
  assert.equal(parseErrorCode(await post(app.url, { key: randomUUID(), body: HELLO })), "internal");
});

test("a request without a key is 401 missing_key", async (t) => {
  const { url } = await startApp(t);
  for (const path of ["/notify", "/notify-async", "/notify/group/g"]) {
    for (const headers of [{}, { "x-api-key": "" }]) {
      const response = await requestJson(url, {
        method: "POST",
        path: `/api/v1${path}`,
        headers,
        body: HELLO,
      });
      assert.deepEqual([response.status, parseErrorCode(response)], [401, "missing_key"], path);
    }
  }
});

test("the path segment `group` without an id is treated as an invalid key", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  for (const path of ["/api/v1/notify/group", "/api/v1/notify/group/"]) {
    const response = await post(app.url, { key, path, body: HELLO });
    assert.deepEqual([response.status, parseErrorCode(response)], [401, "invalid_key"]);
  }
});

test("a key in the path takes precedence over a key in the header", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const path = (key: string) => `/api/v1/notify/${key}`;
  const response = await post(app.url, { key: bob.key, path: path(ann.key), body: HELLO });
  assert.equal(response.status, 200);
  const [notification] = (await ann.client.notifications.list()).items;
  assert.equal(notification?.id, response.headers["x-notification-id"]);
  assert.deepEqual((await bob.client.notifications.list()).items, []);
  const refused = await post(app.url, { key: bob.key, path: path(randomUUID()), body: HELLO });
  assert.equal(parseErrorCode(refused), "invalid_key");
});

test("placeholder, unknown, revoked and expired keys get the same bytes", async (t) => {
  const clock = new TestClock();
  const app = await startApp(t, { now: clock.now });
  const { client } = await signUp(app, "Ann");
  const expiresAt = new Date(clock.now() + 60_000).toISOString();
  const expiring = await client.keys.create({ kind: "account", expiresAt });
  const revokedKey = await client.keys.create({ kind: "account" });
  for (const { key } of [expiring, revokedKey]) {
    assert.equal((await post(app.url, { key, body: HELLO })).status, 200);
  }
  await client.keys.remove(revokedKey.id);
  clock.advance(60_000);
  const responses = new Set<string>();
  for (const key of ["<API_KEY>", "group", randomUUID(), revokedKey.key, expiring.key]) {
    responses.add(toComparable(await post(app.url, { key, body: HELLO })));
    const path = `/api/v1/notify/${encodeURIComponent(key)}`;
    responses.add(toComparable(await requestJson(app.url, { method: "POST", path, body: HELLO })));
    responses.add(toComparable(await requestJson(app.url, { path: `${path}?title=a&body=b` })));
  }
  assert.equal(responses.size, 1);
  assert.match(
    [...responses][0] ?? "",
    /^401 .*"message":"Invalid API key, authentication failed"/,
  );
});

test("a rotated key stays valid until the overlap ends", async (t) => {
  const clock = new TestClock();
  const app = await startApp(t, { now: clock.now });
  const ann = await signUp(app, "Ann");
  const { client } = ann;
  const oldKey = await client.keys.create({ kind: "account", label: "CI" });
  const rotatedKey = await client.keys.rotate(oldKey.id, { overlapSeconds: 60 });
  assert.equal(rotatedKey.label, "CI");
  clock.advance(59_999);
  for (const { key } of [oldKey, rotatedKey]) await ann.withKey(key).notify(HELLO);
  clock.advance(1);
  await assert.rejects(ann.withKey(oldKey.key).notify(HELLO), INVALID_KEY);
  await ann.withKey(rotatedKey.key).notify(HELLO);
});

test("a key's last use survives a restart, and its secret is not in the database", async (t) => {
  const clock = new TestClock();
  const firstApp = await startApp(t, { now: clock.now });
  const { client, key } = await signUp(firstApp, "Ann");
  clock.advance(5_000);
  const usedAt = new Date(clock.now()).toISOString();
  await client.notify(HELLO);
  await firstApp.app.stop();
  const secondApp = await startApp(t, { now: clock.now, dataDir: firstApp.dataDir });
  const { db } = secondApp.app.context.database;
  const rows = await db.selectFrom("api_key").selectAll().execute();
  assert.deepEqual(
    rows.map(({ last_used_at: at }) => new Date(at ?? 0).toISOString()),
    [usedAt],
  );
  assert.ok(!JSON.stringify(rows).includes(key));
});

test("five requests with one key within a second are all accepted", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const sendResponses = await Promise.all(Array.from({ length: 5 }, () => client.notify(HELLO)));
  assert.equal(new Set(sendResponses.map(({ notificationId }) => notificationId)).size, 5);
});
