import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { TestClock } from "../support/room.ts";
import { ask, codeOf, comparable, HELLO, post, type Question } from "./ask.ts";

const QUERY = "title=Hello&body=World";

/** Ann has a phone, and a key that is for POST alone. */
async function startWithKey(t: TestContext) {
  // Other nodes hear of a change a moment later.
  const app = await startApp(t, { isOneProcess: true });
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  const { id, key } = await ann.client.keys.create({ kind: "account", postOnly: true });
  const path = `/api/v1/notify/${key}`;
  const sent = async () => (await ann.client.notifications.list()).items.length;
  return { app, ann, phone, device, keyId: id, key, path, sent };
}

test("a GET with a key for POST alone is 400 post_only, stores nothing and sends nothing", async (t) => {
  const { app, phone, path, sent } = await startWithKey(t);
  const asked: readonly Question[] = [
    { path: `${path}?${QUERY}` },
    { path },
    { path: `${path.toUpperCase().replace("/API/V1/NOTIFY", "/api/v1/notify")}?${QUERY}` },
    { path: `${path}?${QUERY}`, headers: { "idempotency-key": "one" } },
    { path: `${path}?${QUERY}`, headers: { "user-agent": "Slackbot 1.0" } },
    { path: `${path}?${QUERY}`, headers: { "sec-fetch-dest": "document" } },
  ];
  for (const question of asked) {
    const answer = await ask(app.url, question);
    assert.deepEqual([answer.status, codeOf(answer)], [400, "post_only"]);
    assert.match(answer.text, /Use POST, or allow GET for the key in the console/);
    const head = await ask(app.url, { ...question, method: "HEAD" });
    assert.deepEqual([head.status, head.text], [400, ""]);
  }
  assert.equal(await sent(), 0);
  assert.deepEqual(phone.judged, []);
});

test("a key for POST alone sends by POST as ever: by body, by query, in the header and to a group", async (t) => {
  const { app, ann, device, key, path, sent } = await startWithKey(t);
  const group = await ann.client.groups.create({ name: "Desk", deviceIds: [device.id] });
  const answers = [
    await ask(app.url, { method: "POST", path, body: HELLO }),
    await ask(app.url, { method: "POST", path: `${path}?${QUERY}` }),
    await post(app.url, { key, body: HELLO }),
    await post(app.url, { key, path: "/api/v1/notify-async", body: HELLO }),
    await post(app.url, { key, path: `/api/v1/notify/group/${group.id}`, body: HELLO }),
  ];
  for (const { status, text } of answers) {
    assert.equal(status, 200);
    assert.equal(JSON.parse(text).success, true);
  }
  assert.equal(await sent(), answers.length);
});

test("a caller without a good key learns nothing of what a key is for", async (t) => {
  const { app, ann, keyId, key } = await startWithKey(t);
  await ann.client.keys.remove(keyId);
  const answers = new Set<string>();
  for (const unknown of [key, randomUUID(), "<API_KEY>"]) {
    const path = `/api/v1/notify/${encodeURIComponent(unknown)}?${QUERY}`;
    answers.add(comparable(await ask(app.url, { path })));
    answers.add(comparable(await ask(app.url, { method: "POST", path })));
  }
  assert.equal(answers.size, 1);
  assert.match([...answers][0] ?? "", /^401 .*"message":"Invalid API key, authentication failed"/);
});

test("the switch holds at once, stays with a rotation, and lets GET in again", async (t) => {
  const { app, ann, keyId, path, sent } = await startWithKey(t);
  const statusOf = async (key: string) =>
    (await ask(app.url, { path: `/api/v1/notify/${key}?${QUERY}` })).status;
  const next = await ann.client.keys.rotate(keyId);
  assert.equal(await statusOf(next.key), 400);
  await ann.client.keys.update(next.id, { postOnly: false });
  assert.equal(await statusOf(next.key), 200);
  assert.equal((await ask(app.url, { path: `${path}?${QUERY}` })).status, 400);
  await ann.client.keys.update(next.id, { postOnly: true });
  assert.equal(await statusOf(next.key), 400);
  assert.equal(await statusOf(ann.key), 200);
  assert.equal(await sent(), 2);
});

test("a GET that is refused counts against the rate of its key", async (t) => {
  const environment = { TOCSIN_RATE_LIMIT_PER_S: "1", TOCSIN_RATE_LIMIT_BURST: "2" };
  const clock = new TestClock();
  const app = await startApp(t, { now: clock.now, environment, isOneProcess: true });
  const { client } = await signUp(app, "Ann");
  const { key } = await client.keys.create({ kind: "account", postOnly: true });
  const path = `/api/v1/notify/${key}?${QUERY}`;
  const codes: unknown[] = [];
  for (let asked = 0; asked < 3; asked += 1) codes.push(codeOf(await ask(app.url, { path })));
  assert.deepEqual(codes, ["post_only", "post_only", "rate_limited"]);
});
