import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import { requestJson, type TestRequest } from "./http-requests.ts";

/** Starts a server where Ann has a phone, and a key for programs that speak Gotify's API. */
async function setUp(t: TestContext) {
  const app = await startApp(t, { environment: { TOCSIN_RATE_LIMIT_PER_S: "0" } });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const request = { kind: "account", dialect: "gotify", label: "cron", channel: "jobs" } as const;
  const { key: token } = await ann.client.keys.create(request);
  const post = (request: Partial<TestRequest>) =>
    requestJson(app.url, { method: "POST", path: "/message", ...request });
  const readFirst = async () => {
    const [item] = (await ann.client.feed.list()).items;
    return item ?? assert.fail("The feed is empty.");
  };
  return { app, ann, phone, token, post, readFirst };
}

const BODY = { title: "Backup", message: "42 GB", priority: 8 };
const UNAUTHORIZED = {
  error: "Unauthorized",
  errorCode: 401,
  errorDescription:
    "you need to provide a valid access token or user credentials to access this api",
};

test("a message arrives on the phone and in the feed, and the response is like Gotify's", async (t) => {
  const { post, token, phone, readFirst } = await setUp(t);
  const { status, headers, text } = await post({ path: `/message?token=${token}`, body: BODY });
  assert.equal(status, 200);
  const { notification } = JSON.parse((await phone.next()).text);
  assert.equal(headers["x-notification-id"], notification.data.id);
  const item = await readFirst();
  assert.deepEqual(
    [item.title, item.body, item.channel, item.priority, item.timeSensitive],
    ["Backup", "42 GB", "jobs", "high", true],
  );
  const { id, appid, date, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, BODY);
  assert.ok(Number.isSafeInteger(id) && Number.isSafeInteger(appid));
  assert.match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test("the token is accepted in three places, and so is a UUID key", async (t) => {
  const { post, token, ann } = await setUp(t);
  for (const key of [token, ann.key, ann.key.toUpperCase()]) {
    for (const place of [
      { path: `/message?token=${key}` },
      { headers: { "x-gotify-key": key } },
      { headers: { authorization: `Bearer ${key}` } },
      { path: `//message?token=${key}` },
      { path: `/message/?token=${key}` },
    ]) {
      assert.equal((await post({ ...place, body: BODY })).status, 200, JSON.stringify(place));
    }
  }
  assert.equal((await ann.client.feed.list()).items.length, 15);
});

test("wrong and missing tokens get identical responses, which do not make a browser ask for a password", async (t) => {
  const { app, post, ann } = await setUp(t);
  const { key: revokedKey } = await ann.client.keys.create({ kind: "account", dialect: "gotify" });
  const listedKey = (await ann.client.keys.list()).items.find(({ hint }) =>
    revokedKey.endsWith(hint),
  );
  await ann.client.keys.remove(listedKey?.id ?? "");
  const basic = `Basic ${Buffer.from(`ann:${ann.key}`).toString("base64")}`;
  for (const place of [
    {},
    { path: "/message?token=" },
    { path: `/message?token=${randomUUID()}` },
    { path: "/message?token=Aaaaaaaaaaaaaaa" },
    { path: `/message?token=${revokedKey}` },
    { headers: { "x-gotify-key": "C" } },
    { headers: { authorization: basic } },
    { headers: { "x-api-key": ann.key } },
    { headers: { cookie: "tocsin_session=abc" } },
  ]) {
    const { status, headers, text } = await post({ ...place, body: BODY });
    assert.equal(status, 401, JSON.stringify(place));
    assert.deepEqual(JSON.parse(text), UNAUTHORIZED);
    assert.equal(headers["www-authenticate"], undefined);
    assert.equal(headers["access-control-allow-origin"], undefined);
    assert.equal(headers["set-cookie"], undefined);
    assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/);
  }
  assert.equal((await ann.client.feed.list()).items.length, 0);
  const headers = { "x-api-key": revokedKey };
  const notify = {
    method: "POST",
    path: "/api/v1/notify",
    headers,
    body: { title: "T", body: "" },
  };
  assert.equal((await requestJson(app.url, notify)).status, 401);
});

test("a network with many wrong tokens is rate-limited, but its valid tokens still send", async (t) => {
  const { post, token } = await setUp(t);
  const statuses = new Set<number>();
  for (let count = 0; count < 40; count += 1) {
    const { status } = await post({ path: `/message?token=${randomUUID()}`, body: BODY });
    statuses.add(status);
  }
  assert.deepEqual([...statuses], [401, 429]);
  const refusal = await post({ path: `/message?token=${randomUUID()}`, body: BODY });
  assert.equal(JSON.parse(refusal.text).errorCode, 429);
  assert.match(String(refusal.headers["retry-after"]), /^\d+$/);
  assert.equal((await post({ path: `/message?token=${token}`, body: BODY })).status, 200);
});

test("a team's key reaches the team until it is revoked", async (t) => {
  const { post, ann, phone } = await setUp(t);
  const { id: teamId } = await ann.client.teams.create({ name: "Ops" });
  const request = { kind: "team", teamId, dialect: "gotify" } as const;
  const { id, key } = await ann.client.keys.create(request);
  const send = async () => (await post({ headers: { "x-gotify-key": key }, body: BODY })).status;
  assert.equal(await send(), 200);
  await phone.next();
  const { items } = await ann.client.feed.list();
  assert.deepEqual([items[0]?.teamId, items[0]?.channel], [teamId, "feed"]);
  await ann.client.keys.remove(id);
  assert.equal(await send(), 401);
});

test("a message is read from a form, a multipart form, a query and a body with a wrong content type", async (t) => {
  const { post, token, ann } = await setUp(t);
  const multipart =
    '--x\r\nContent-Disposition: form-data; name="message"\r\n\r\nby curl -F\r\n--x--\r\n';
  const form = "application/x-www-form-urlencoded";
  for (const [contentType, body] of [
    [form, "message=by+form&priority=2"],
    ["multipart/form-data; boundary=x", multipart],
    ["text", "message=by+a+broken+type"],
  ] as const) {
    const headers = { "content-type": contentType, "x-gotify-key": token };
    assert.equal((await post({ headers, body })).status, 200, contentType);
  }
  assert.equal((await post({ path: `/message?token=${token}&message=by+query` })).status, 200);
  const { items } = await ann.client.feed.list();
  assert.deepEqual(items.map(({ title, body }) => `${title}: ${body}`).toReversed(), [
    "cron: by form",
    "cron: by curl -F",
    "cron: by a broken type",
    "cron: by query",
  ]);
});

test("errors have Gotify's format", async (t) => {
  const { post, token } = await setUp(t);
  const headers = { "x-gotify-key": token };
  for (const [body, status, description] of [
    [{}, 400, /^Field 'message' is required$/],
    [{ message: "m", priority: "high" }, 400, /priority/],
    [{ message: "x".repeat(300_000) }, 413, /larger than 256 KiB/],
  ] as const) {
    const response = await post({ headers, body });
    const { error, errorCode, errorDescription, ...rest } = JSON.parse(response.text);
    assert.deepEqual([response.status, errorCode, rest], [status, status, {}]);
    assert.equal(error, status === 400 ? "Bad Request" : "Payload Too Large");
    assert.match(errorDescription, description);
  }
});

test("a repeated Idempotency-Key sends once, also with extras", async (t) => {
  const { app, post, token, ann } = await setUp(t);
  const extras = { "client::display": { contentType: "text/markdown" } };
  const headers = { "x-gotify-key": token, "idempotency-key": "one", "x-ttl": "60" };
  const first = await post({ headers, body: { ...BODY, extras } });
  const second = await post({ headers, body: { ...BODY, extras } });
  assert.equal(second.headers["x-notification-id"], first.headers["x-notification-id"]);
  assert.equal((await post({ headers, body: BODY })).status, 400);
  assert.equal((await post({ headers: { ...headers, "x-ttl": "0" }, body: BODY })).status, 400);
  assert.equal((await ann.client.feed.list()).items.length, 1);
  const { db } = app.app.context.database;
  const row = await db.selectFrom("notification").select("extras").executeTakeFirstOrThrow();
  assert.deepEqual(JSON.parse(row.extras ?? ""), { priority: 4, gotify: { priority: 8, extras } });
});

test("messages with hostile texts are accepted, and arrive in the feed", async (t) => {
  const { post, token, readFirst } = await setUp(t);
  for (const text of HOSTILE_TEXTS) {
    const body = { title: `t ${text}`, message: `m ${text}`, extras: { [text]: text } };
    assert.equal((await post({ headers: { "x-gotify-key": token }, body })).status, 200, text);
    assert.ok((await readFirst()).body.startsWith("m "));
  }
});

test("the version is three numbers, and the commit names this server", async (t) => {
  const { app } = await setUp(t);
  for (const path of ["/version", "//version"]) {
    const { status, text } = await requestJson(app.url, { path });
    assert.equal(status, 200);
    assert.match(JSON.parse(text).version, /^\d+\.\d+\.\d+$/);
    assert.match(JSON.parse(text).commit, /^tocsin-/);
  }
});
