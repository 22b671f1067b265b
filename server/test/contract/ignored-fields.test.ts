import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { PRIORITIES } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { HELLO, requestJson, send, type TestRequest, type TestResponse } from "./http-requests.ts";

/** Creates a send with these fields in addition to title and body. */
type RequestBuilder = (fields: Readonly<Record<string, string | number>>) => TestRequest;

async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  const group = await ann.client.groups.create({ name: "Desk", deviceIds: [device.id] });
  const { key } = ann;
  const createPost =
    (path: string): RequestBuilder =>
    (fields) => ({
      method: "POST",
      path,
      headers: { "x-api-key": key },
      body: { ...HELLO, ...fields },
    });
  const createQueryRequest =
    (method: string): RequestBuilder =>
    (fields) => ({ method, path: `/api/v1/notify/${key}?${toQuery(fields)}` });
  /** The builders of every request that sends with a key, by name. */
  const requestBuilders: Readonly<Record<string, RequestBuilder>> = {
    notify: createPost("/api/v1/notify"),
    "notify-async": createPost("/api/v1/notify-async"),
    group: createPost(`/api/v1/notify/group/${group.id}`),
    "key in the path": createPost(`/api/v1/notify/${key}`),
    "POST with a query": createQueryRequest("POST"),
    GET: createQueryRequest("GET"),
    HEAD: createQueryRequest("HEAD"),
  };
  return { app, ann, phone, requestBuilders };
}

function toQuery(fields: Readonly<Record<string, string | number>>): string {
  const query = new URLSearchParams(HELLO);
  for (const [name, value] of Object.entries(fields)) query.set(name, String(value));
  return query.toString();
}

/** Returns a response without the headers that differ between any two sends. */
function pickComparableParts({ status, headers, text }: TestResponse) {
  const {
    date: _date,
    "x-request-id": _requestId,
    "x-notification-id": _notificationId,
    ...others
  } = headers;
  return { status, headers: others, text };
}

test("a send with an unknown priority gets the response of one without, and a header that names the field", async (t) => {
  const { app, requestBuilders } = await setUp(t);
  for (const [name, createRequest] of Object.entries(requestBuilders)) {
    const plain = pickComparableParts(await requestJson(app.url, createRequest({})));
    assert.equal(plain.status, 200, name);
    assert.equal(plain.headers["x-ignored-fields"], undefined, name);
    const withUnknown = await requestJson(app.url, createRequest({ priority: 3 }));
    const { headers, ...response } = pickComparableParts(withUnknown);
    const { "x-ignored-fields": ignoredFields, ...otherHeaders } = headers;
    assert.equal(ignoredFields, "priority", name);
    assert.deepEqual({ ...response, headers: otherHeaders }, plain, name);
    // An emergency opens an incident, so its response has the incident's id.
    for (const priority of ["", ...PRIORITIES.filter((one) => one !== "emergency")]) {
      const known = pickComparableParts(await requestJson(app.url, createRequest({ priority })));
      assert.deepEqual(known, plain, `${name} ${priority}`);
    }
  }
});

test("pushes without a priority, with the normal one and with an unknown one are the same", async (t) => {
  const { app, phone, requestBuilders } = await setUp(t);
  const readPush = async () => {
    const { text, urgency } = await phone.next();
    const { id, ts } = JSON.parse(text).notification.data;
    return [urgency, text.replaceAll(id, "ID").replace(`"ts":${ts}`, '"ts":0')];
  };
  const createRequest = requestBuilders["notify"] ?? assert.fail();
  const pushes: unknown[] = [];
  for (const fields of [{}, { priority: "normal" }, { priority: 3 }, { priority: "urgent" }]) {
    await send(app.url, createRequest(fields));
    pushes.push(await readPush());
  }
  const [first] = pushes;
  assert.deepEqual(
    pushes,
    Array.from({ length: 4 }, () => first),
  );
  assert.doesNotMatch(JSON.stringify(first), /priority|renotify|requireInteraction/);
});

test("a refused send has no header about ignored fields, and a repeated parameter is refused", async (t) => {
  const { app, ann, requestBuilders } = await setUp(t);
  const createRequest = requestBuilders["notify"] ?? assert.fail();
  const refusal = await requestJson(app.url, createRequest({ priority: 3, sound: "beep" }));
  assert.deepEqual([refusal.status, refusal.headers["x-ignored-fields"]], [400, undefined]);
  const query = `${toQuery({ priority: 3 })}&priority=high`;
  const repeated = await requestJson(app.url, { path: `/api/v1/notify/${ann.key}?${query}` });
  assert.equal(repeated.status, 400);
});

test("under an idempotency key, no priority, the normal one and an unknown one are the same send", async (t) => {
  const { app, ann, requestBuilders } = await setUp(t);
  const createRequest = requestBuilders["notify"] ?? assert.fail();
  const repeat = async (fields: Readonly<Record<string, string | number>>) => {
    const { headers, ...request } = createRequest(fields);
    const keyHeaders = { ...headers, "idempotency-key": "k" };
    return send(app.url, { ...request, headers: keyHeaders });
  };
  const first = await repeat({});
  for (const priority of ["normal", "NORMAL", 3]) {
    const { status, headers } = await repeat({ priority });
    const ids = [headers["x-notification-id"], first.headers["x-notification-id"]];
    assert.deepEqual([status, ids[0]], [200, ids[1]], String(priority));
  }
  assert.equal((await repeat({ priority: "high" })).status, 400);
  assert.equal((await ann.client.notifications.list()).items.length, 1);
});
