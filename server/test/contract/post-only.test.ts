import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { TestClock } from "../support/test-clock.ts";
import {
  requestJson,
  parseErrorCode,
  toComparable,
  HELLO,
  post,
  type TestRequest,
} from "./http-requests.ts";

const QUERY = "title=Hello&body=World";

/** Starts an app; Ann has a phone and a POST-only key. */
async function startWithKey(t: TestContext) {
  // Another node learns of a change only after a delay.
  const app = await startApp(t, { isSingleProcess: true });
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  const { id, key } = await ann.client.keys.create({ kind: "account", postOnly: true });
  const path = `/api/v1/notify/${key}`;
  const countSent = async () => (await ann.client.notifications.list()).items.length;
  return { app, ann, phone, device, keyId: id, key, path, countSent };
}

test("a GET with a POST-only key is 400 post_only, and stores and sends nothing", async (t) => {
  const { app, phone, path, countSent } = await startWithKey(t);
  const requests: readonly TestRequest[] = [
    { path: `${path}?${QUERY}` },
    { path },
    { path: `${path.toUpperCase().replace("/API/V1/NOTIFY", "/api/v1/notify")}?${QUERY}` },
    { path: `${path}?${QUERY}`, headers: { "idempotency-key": "one" } },
    { path: `${path}?${QUERY}`, headers: { "user-agent": "Slackbot 1.0" } },
    { path: `${path}?${QUERY}`, headers: { "sec-fetch-dest": "document" } },
  ];
  for (const request of requests) {
    const response = await requestJson(app.url, request);
    assert.deepEqual([response.status, parseErrorCode(response)], [400, "post_only"]);
    assert.match(response.text, /Use POST, or allow GET for the key in the console/);
    const headResponse = await requestJson(app.url, { ...request, method: "HEAD" });
    assert.deepEqual([headResponse.status, headResponse.text], [400, ""]);
  }
  assert.equal(await countSent(), 0);
  assert.deepEqual(phone.requests, []);
});

test("a POST-only key sends with every form of POST", async (t) => {
  const { app, ann, device, key, path, countSent } = await startWithKey(t);
  const group = await ann.client.groups.create({ name: "Desk", deviceIds: [device.id] });
  const responses = [
    await requestJson(app.url, { method: "POST", path, body: HELLO }),
    await requestJson(app.url, { method: "POST", path: `${path}?${QUERY}` }),
    await post(app.url, { key, body: HELLO }),
    await post(app.url, { key, path: "/api/v1/notify-async", body: HELLO }),
    await post(app.url, { key, path: `/api/v1/notify/group/${group.id}`, body: HELLO }),
  ];
  for (const { status, text } of responses) {
    assert.equal(status, 200);
    assert.equal(JSON.parse(text).success, true);
  }
  assert.equal(await countSent(), responses.length);
});

test("a caller without a valid key cannot learn whether a key is POST-only", async (t) => {
  const { app, ann, keyId, key } = await startWithKey(t);
  await ann.client.keys.remove(keyId);
  const responses = new Set<string>();
  for (const invalidKey of [key, randomUUID(), "<API_KEY>"]) {
    const path = `/api/v1/notify/${encodeURIComponent(invalidKey)}?${QUERY}`;
    responses.add(toComparable(await requestJson(app.url, { path })));
    responses.add(toComparable(await requestJson(app.url, { method: "POST", path })));
  }
  assert.equal(responses.size, 1);
  assert.match(
    [...responses][0] ?? "",
    /^401 .*"message":"Invalid API key, authentication failed"/,
  );
});

test("POST-only applies immediately, survives a rotation and can be switched off", async (t) => {
  const { app, ann, keyId, path, countSent } = await startWithKey(t);
  const requestStatus = async (key: string) =>
    (await requestJson(app.url, { path: `/api/v1/notify/${key}?${QUERY}` })).status;
  const rotatedKey = await ann.client.keys.rotate(keyId);
  assert.equal(await requestStatus(rotatedKey.key), 400);
  await ann.client.keys.update(rotatedKey.id, { postOnly: false });
  assert.equal(await requestStatus(rotatedKey.key), 200);
  assert.equal((await requestJson(app.url, { path: `${path}?${QUERY}` })).status, 400);
  await ann.client.keys.update(rotatedKey.id, { postOnly: true });
  assert.equal(await requestStatus(rotatedKey.key), 400);
  assert.equal(await requestStatus(ann.key), 200);
  assert.equal(await countSent(), 2);
});

test("a refused GET counts against the key's rate limit", async (t) => {
  const environment = { TOCSIN_RATE_LIMIT_PER_S: "1", TOCSIN_RATE_LIMIT_BURST: "2" };
  const clock = new TestClock();
  const app = await startApp(t, { now: clock.now, environment, isSingleProcess: true });
  const { client } = await signUp(app, "Ann");
  const { key } = await client.keys.create({ kind: "account", postOnly: true });
  const path = `/api/v1/notify/${key}?${QUERY}`;
  const codes: unknown[] = [];
  for (let count = 0; count < 3; count += 1)
    codes.push(parseErrorCode(await requestJson(app.url, { path })));
  assert.deepEqual(codes, ["post_only", "post_only", "rate_limited"]);
});
