import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { addNtfyApp } from "../support/add-app.ts";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { basic, openStream, openWebSocket } from "../support/ntfy-subscriber.ts";
import { getNotificationId } from "../support/notification-records.ts";
import { requestJson, send } from "./http-requests.ts";

/** Starts a server where Ann has an app of ntfy. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { secret, topic, device } = await addNtfyApp(app, ann);
  const credential = basic(secret);
  const poll = async (query = "", topics = topic) => {
    const path = `/${topics}/json?poll=1${query}`;
    const { status, text } = await send(app.url, { path, headers: credential });
    assert.equal(status, 200, text);
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  };
  return { app, ann, secret, topic, device, credential, poll };
}

test("a notification reaches a WebSocket, and the delivery log says that the app answered", async (t) => {
  const { app, ann, topic, credential } = await setUp(t);
  const { next } = await openWebSocket(t, `${app.url}/${topic},backups/ws`, credential);
  assert.equal(JSON.parse(await next()).event, "open");
  const sent = await ann.client.notify({ title: "Backup", body: "42 GB", channel: "backups" });
  const { time: _time, expires: _expires, ...message } = JSON.parse(await next());
  const id = getNotificationId(sent);
  // The topic of the message is its channel's, although the app's own topic has all messages.
  assert.deepEqual(message, {
    id,
    event: "message",
    topic: "backups",
    title: "Backup",
    message: "42 GB",
  });
  assert.equal(sent.success, true);
  assert.match(JSON.stringify(sent.responses), /Received by/);
});

test("an app gets the messages that it missed, those after a message, or one message by its id", async (t) => {
  const { app, ann, topic, credential, poll } = await setUp(t);
  const sendAndWait = async (title: string) => {
    await ann.client.notifyAsync({ title, body: "" });
    const items = await eventually(
      async () => (await ann.client.feed.list()).items,
      (list) => list[0]?.title === title,
    );
    return items[0]?.id ?? "";
  };
  const first = await sendAndWait("first");
  await sendAndWait("second");
  const url = `${app.url}/${topic}/json`;
  const stream = await openStream(t, url, credential);
  assert.match(await stream.readUntil("second"), /"open"[^]*"first"[^]*"second"/);
  stream.response.destroy();
  await sendAndWait("third");
  const resumed = await openStream(t, `${url}?since=${first}`, credential);
  const text = await resumed.readUntil("third");
  assert.doesNotMatch(text, /"title":"first"/);
  assert.match(text, /"second"[^]*"third"/);
  resumed.response.destroy();
  assert.deepEqual(
    (await poll("&since=all")).map(({ title }) => title),
    ["first", "second", "third"],
  );
  assert.deepEqual(
    (await poll(`&id=${first}`)).map(({ id }) => id),
    [first],
  );
  assert.deepEqual(await poll("", "other"), []);
});

test("an app password sends to its own account, and to no other", async (t) => {
  const { app, ann, secret, credential, poll } = await setUp(t);
  const { phone } = await addDevice(app, ann);
  const bob = await signUp(app, "Bob");
  const bobsApp = await addNtfyApp(app, bob);
  const post = { method: "POST", path: "/my_backups", headers: credential, body: "by the app" };
  const { status, headers, text } = await requestJson(app.url, post);
  assert.equal(status, 200, text);
  const { id, topic, message } = JSON.parse(text);
  assert.deepEqual(
    [topic, message, headers["x-notification-id"]],
    ["my_backups", "by the app", id],
  );
  assert.equal(JSON.parse((await phone.next()).text).notification.body, "by the app");
  const { items } = await ann.client.feed.list();
  assert.deepEqual(
    items.map(({ id: itemId, channel, body }) => [itemId, channel, body]),
    [[id, "my-backups", "by the app"]],
  );
  const auth = Buffer.from(`Bearer ${secret}`).toString("base64url");
  const get = { path: `/other/publish?message=get&auth=${auth}` };
  assert.equal((await requestJson(app.url, get)).status, 200);
  const preview = { path: get.path, headers: { "user-agent": "Slackbot 1.0" } };
  assert.equal((await requestJson(app.url, preview)).status, 400);
  const received = await eventually(
    () => poll(),
    (messages) => messages.length === 2,
  );
  assert.deepEqual(
    received.map((event) => event.message),
    ["by the app", "get"],
  );
  const bobsTopics = `/${bobsApp.topic},my_backups/json?poll=1`;
  assert.equal(
    (await send(app.url, { path: bobsTopics, headers: basic(bobsApp.secret) })).text,
    "",
  );
  // For Ann's app, the topic of Bob's app is just a channel, which nothing was sent to.
  const annsTopics = await send(app.url, { path: bobsTopics, headers: credential });
  assert.doesNotMatch(annsTopics.text, new RegExp(bobsApp.topic));
});

test("the token of an app of Gotify, which only receives, sends nothing by the API of ntfy", async (t) => {
  const { app, ann, poll } = await setUp(t);
  const { secret } = await addNtfyApp(app, ann, "gotify");
  const headers = { authorization: `Bearer ${secret}` };
  const added = await requestJson(app.url, {
    method: "POST",
    path: "/v1/account/token",
    headers,
    body: "{}",
  });
  const { token = "" } = JSON.parse(added.text);
  for (const key of [secret, token]) {
    const post = { method: "POST", path: "/backups", headers: basic(key), body: "spoofed" };
    const { status, text } = await requestJson(app.url, post);
    assert.deepEqual([status, JSON.parse(text).code], [403, 40301]);
  }
  assert.deepEqual(await poll(), []);
});

test("when a credential ends, its streams are cut at once, and it no longer signs in", async (t) => {
  const { app, topic, credential } = await setUp(t);
  const { next, ended } = await openWebSocket(t, `${app.url}/${topic}/ws`, credential);
  await next();
  const json = await openStream(t, `${app.url}/${topic}/json`, credential);
  await json.readUntil('"open"');
  json.response.resume();
  const remove = { method: "DELETE", path: "/v1/account/token", headers: credential };
  assert.equal((await requestJson(app.url, remove)).status, 200);
  assert.deepEqual([await ended, await json.ended], [1006, false]);
  await assert.rejects(openWebSocket(t, `${app.url}/${topic}/ws`, credential), /response: 401/);
});

test("a notification that is read in the console is cleared on the app", async (t) => {
  const { app, ann, topic, credential } = await setUp(t);
  const { next } = await openWebSocket(t, `${app.url}/${topic}/ws`, credential);
  await next();
  await ann.client.notifyAsync({ title: "Door", body: "" });
  const { id } = JSON.parse(await next());
  await ann.client.feed.markRead({ ids: [id] });
  const { event, sequence_id, topic: clearedTopic, id: ownId } = JSON.parse(await next());
  assert.deepEqual([event, sequence_id, clearedTopic], ["message_clear", id, topic]);
  assert.notEqual(ownId, id);
});

test("the account of an app has its owner's address, and counts what was sent today", async (t) => {
  const { app, ann, credential } = await setUp(t);
  await ann.client.notifyAsync({ title: "one", body: "" });
  const response = await requestJson(app.url, { path: "/v1/account", headers: credential });
  const { username, stats } = JSON.parse(response.text);
  assert.deepEqual([username, stats.messages], [ann.email, 1]);
});

test("a server with open streams stops at once", async (t) => {
  const { app, topic, credential } = await setUp(t);
  const { next, ended } = await openWebSocket(t, `${app.url}/${topic}/ws`, credential);
  await next();
  const json = await openStream(t, `${app.url}/${topic}/json`, credential);
  await json.readUntil('"open"');
  json.response.resume();
  const startedAt = performance.now();
  await app.app.stop();
  assert.deepEqual([await ended, await json.ended], [1006, false]);
  assert.ok(performance.now() - startedAt < 5_000);
});

test("an app password is accepted only on the paths of ntfy", async (t) => {
  const { app, secret, credential } = await setUp(t);
  for (const [path, headers] of [
    ["/api/app/v1/me", credential],
    ["/api/app/v1/me", { authorization: `Bearer ${secret}` }],
    ["/api/v1/incidents/1", { "x-api-key": secret }],
  ] as const) {
    assert.equal((await requestJson(app.url, { path, headers })).status, 401, path);
  }
});
