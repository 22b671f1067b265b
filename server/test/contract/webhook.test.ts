import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, startApp, signUp, type TestApp, type TestPerson } from "../support/app.ts";
import { requestJson, parseErrorCode, parseError, HELLO, post } from "./http-requests.ts";

const QUERY = "title=Hello&body=World";

async function addPhone(app: TestApp, person: TestPerson) {
  const { phone } = await addDevice(app, person);
  return phone;
}

async function receiveText(phone: Awaited<ReturnType<typeof addPhone>>) {
  const { title, body } = JSON.parse((await phone.next()).text).notification;
  return [title, body];
}

test("a query is decoded as a form: plus is a space, percent is UTF-8", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const phone = await addPhone(app, ann);
  const path = `/api/v1/notify/${ann.key}?title=a+b%2Bc%20d&body=%C3%BC+%F0%9F%94%94+50%`;
  const response = await requestJson(app.url, { path });
  assert.equal(response.status, 200);
  assert.deepEqual(await receiveText(phone), ["a b+c d", "\u00fc \u{1f514} 50%"]);
});

test("timeSensitive is true, false, 1 or 0 in any letter case in a query", async (t) => {
  const app = await startApp(t);
  const { key, client } = await signUp(app, "Ann");
  const cases = {
    true: true,
    True: true,
    TRUE: true,
    1: true,
    false: false,
    FALSE: false,
    0: false,
    "": false,
  };
  for (const [text, expected] of Object.entries(cases)) {
    const path = `/api/v1/notify/${key}?${QUERY}&timeSensitive=${text}`;
    const { headers } = await requestJson(app.url, { path });
    const record = await client.notifications.get(String(headers["x-notification-id"]));
    assert.equal(record.timeSensitive, expected, text);
  }
  for (const text of ["yes", "on", "2", "t"]) {
    const response = await requestJson(app.url, {
      path: `/api/v1/notify/${key}?${QUERY}&timeSensitive=${text}`,
    });
    assert.deepEqual(
      [response.status, parseError(response)["field"]],
      [400, "timeSensitive"],
      text,
    );
  }
});

test("a repeated parameter is 400 with its name, even an unknown one", async (t) => {
  const app = await startApp(t);
  const { key, client } = await signUp(app, "Ann");
  for (const name of ["title", "sound", "unknown"]) {
    for (const method of ["GET", "POST"]) {
      const path = `/api/v1/notify/${key}?${QUERY}&${name}=a&${name}=a`;
      const response = await requestJson(app.url, { method, path });
      assert.deepEqual([response.status, parseError(response)["field"]], [400, name], method);
    }
  }
  assert.deepEqual((await client.notifications.list()).items, []);
});

test("a POST without a body reads its fields from the query", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const phone = await addPhone(app, ann);
  const path = `/api/v1/notify/${ann.key}?${QUERY}`;
  const forms = [
    {},
    { "content-length": 0 },
    { "content-type": "application/json", "content-length": 0 },
    { "content-type": "application/x-www-form-urlencoded", "content-length": 0 },
    { "transfer-encoding": "chunked" },
  ];
  for (const headers of forms) {
    const response = await requestJson(app.url, { method: "POST", path, headers });
    assert.equal(response.status, 200, JSON.stringify(headers));
    assert.deepEqual(await receiveText(phone), ["Hello", "World"]);
  }
});

test("a POST with a body ignores the query", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const phone = await addPhone(app, ann);
  const path = `/api/v1/notify/${ann.key}?${QUERY}&sound=nonsense`;
  const body = { title: "From", body: "body" };
  assert.equal((await requestJson(app.url, { method: "POST", path, body })).status, 200);
  assert.deepEqual(await receiveText(phone), ["From", "body"]);
  const emptyResponse = await requestJson(app.url, { method: "POST", path, body: {} });
  assert.deepEqual([emptyResponse.status, parseError(emptyResponse)["field"]], [400, "title"]);
});

test("the query is ignored on other paths", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const response = await post(app.url, { key, path: `/api/v1/notify?${QUERY}` });
  assert.deepEqual([response.status, parseErrorCode(response)], [400, "invalid_json"]);
});

test("a trailing slash is accepted without a redirect", async (t) => {
  const app = await startApp(t);
  const { key, client } = await signUp(app, "Ann");
  const { id } = await client.groups.create({ name: "All", deviceIds: [] });
  for (const path of ["/notify/", "/notify-async/", `/notify/${key}/`, `/notify/group/${id}/`]) {
    const response = await post(app.url, { key, path: `/api/v1${path}`, body: HELLO });
    assert.equal(response.status, 200, path);
  }
  const webhook = await requestJson(app.url, { path: `/api/v1/notify/${key}/?${QUERY}` });
  assert.equal(webhook.status, 200);
});

test("a group id is one percent-decoded segment, and is decoded once", async (t) => {
  const app = await startApp(t);
  const { client, key, accountId } = await signUp(app, "Ann");
  const ids = ["a/b", "a b", "a%2Fb", "\u00fc?#&", "a+b", "..", "x".repeat(2_000)];
  const toRow = (id: string) => ({ id, account_id: accountId, name: "Odd", created_at: 0 });
  const { db } = app.app.context.database;
  await db.insertInto("device_group").values(ids.map(toRow)).execute();
  for (const id of ids) {
    const path = `/api/v1/notify/group/${encodeURIComponent(id)}`;
    const response = await post(app.url, { key, path, body: HELLO });
    assert.equal(response.status, 200, id);
  }
  const { id } = await client.groups.create({ name: "Regular", deviceIds: [] });
  assert.match(id, /^[A-Za-z0-9_-]+$/);
});

test("HEAD authenticates and validates like a GET, and never sends", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const cases: readonly (readonly [
    path: string,
    headers: Record<string, string>,
    status: number,
  ])[] = [
    [`${ann.key}?${QUERY}`, {}, 200],
    [`${ann.key}?title=Hello`, {}, 400],
    [`${ann.key}?${QUERY}&sound=x`, {}, 400],
    [`${ann.key}?${QUERY}`, { "x-ttl": "0" }, 400],
    [`${ann.key}?${QUERY}`, { "user-agent": "Slackbot-LinkExpanding 1.0" }, 400],
    [`<API_KEY>?${QUERY}`, {}, 401],
  ];
  for (const [path, headers, status] of cases) {
    const response = await requestJson(app.url, {
      method: "HEAD",
      path: `/api/v1/notify/${path}`,
      headers,
    });
    assert.deepEqual([response.status, response.text], [status, ""], path);
    assert.equal(response.headers["x-robots-tag"], "noindex");
    assert.equal(response.headers["cache-control"], "no-store");
  }
  assert.deepEqual((await ann.client.notifications.list()).items, []);
  assert.deepEqual(phone.requests, []);
});

test("every response to a GET forbids caching and indexing", async (t) => {
  const app = await startApp(t, {
    environment: { TOCSIN_RATE_LIMIT_BURST: "2", TOCSIN_RATE_LIMIT_PER_S: "1" },
    isSingleProcess: true,
  });
  const { key } = await signUp(app, "Ann");
  const paths = [`${key}?${QUERY}`, key, `${key}?${QUERY}`, "<API_KEY>"];
  const statuses = [];
  for (const path of paths) {
    const { status, headers } = await requestJson(app.url, { path: `/api/v1/notify/${path}` });
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["x-robots-tag"], "noindex");
    statuses.push(status);
  }
  assert.deepEqual(statuses, [200, 400, 429, 401]);
});
