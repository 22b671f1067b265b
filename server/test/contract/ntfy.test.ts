import assert from "node:assert/strict";
import test from "node:test";
import { cleanText } from "#content/readers.ts";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import { requestJson } from "./http-requests.ts";
import { startNtfyFixture } from "./ntfy-fixture.ts";

/** Returns a header whose bytes are UTF-8, as curl sends it. */
function asBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function toBasic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

test("a message from curl arrives on the phone and in the feed, and the response is like ntfy's", async (t) => {
  const { app, ann, phone, readFirst } = await startNtfyFixture(t);
  const { status, headers, text } = await requestJson(app.url, {
    method: "POST",
    path: "/my_backups",
    headers: {
      authorization: toBasic(`ann:${ann.key}`),
      title: asBytes("Äpfel"),
      p: "high",
      tags: "warning,db-1",
      "content-type": "application/x-www-form-urlencoded",
    },
    // Node writes the headers before a string as UTF-8.
    body: Buffer.from("42 GB"),
  });
  assert.equal(status, 200, text);
  const { notification } = JSON.parse((await phone.next()).text);
  assert.equal(headers["x-notification-id"], notification.data.id);
  const { title, body, channel, priority, timeSensitive } = await readFirst();
  assert.deepEqual(
    [title, body, channel, priority, timeSensitive],
    ["⚠️ Äpfel", "42 GB", "my-backups", "high", true],
  );
  const { id, time, expires, ...rest } = JSON.parse(text);
  assert.equal(id, notification.data.id);
  assert.equal(expires - time, 86_400);
  assert.deepEqual(rest, {
    event: "message",
    topic: "my_backups",
    title: "Äpfel",
    message: "42 GB",
    priority: 4,
    tags: ["warning", "db-1"],
  });
});

test("a key in the header, the query or the topic sends", async (t) => {
  const { app, ann, key, listFeed } = await startNtfyFixture(t);
  const post = (path: string, headers = {}) =>
    requestJson(app.url, { method: "POST", path, headers, body: "text" });
  for (const secret of [key, ann.key, ann.key.toUpperCase()]) {
    const auth = Buffer.from(toBasic(`:${secret}`)).toString("base64url");
    const get = `/backups/publish?message=text&auth=${auth}`;
    assert.equal((await post("/backups", { authorization: `Bearer ${secret}` })).status, 200);
    assert.equal((await post("//backups/", { authorization: toBasic(`:${secret}`) })).status, 200);
    assert.equal((await post(`/backups?auth=${auth}`)).status, 200);
    assert.equal((await requestJson(app.url, { path: get })).status, 200);
    assert.equal((await post(`/${secret}_backups`)).status, 200);
    const json = {
      method: "POST",
      path: "/",
      body: { topic: `${secret}_backups`, message: "text" },
    };
    assert.equal((await requestJson(app.url, json)).status, 200);
  }
  const items = await listFeed();
  assert.equal(items.length, 18);
  for (const { channel, body } of items) assert.deepEqual([channel, body], ["backups", "text"]);
});

test("a topic that is only the key sends to the channel that is set on the key", async (t) => {
  const { app, ann, key, readFirst } = await startNtfyFixture(t);
  const request = { kind: "account", dialect: "ntfy", channel: "jobs" } as const;
  const { key: keyOfJobs } = await ann.client.keys.create(request);
  for (const [topic, channel] of [
    [keyOfJobs, "jobs"],
    [key, "feed"],
  ] as const) {
    const post = { method: "POST", path: `/${topic}`, body: "text" };
    assert.equal((await requestJson(app.url, post)).status, 200);
    assert.equal((await readFirst()).channel, channel);
  }
  const headers = { authorization: `Bearer ${key}` };
  for (const secret of [keyOfJobs, keyOfJobs.toUpperCase(), ann.key.toUpperCase()]) {
    for (const topic of [secret, `${secret}_`, `${secret}-backups`, `${secret}x`]) {
      await requestJson(app.url, { method: "POST", path: `/${topic}`, headers, body: "text" });
      assert.equal((await readFirst()).channel, "feed", topic);
    }
  }
});

test("JSON is parsed at the root only, whatever its content type", async (t) => {
  const { post, readFirst } = await startNtfyFixture(t);
  const body = JSON.stringify({ topic: "alerts", message: "42 GB", title: "Ä", priority: "4" });
  for (const contentType of ["application/json", "text/plain", "x"]) {
    const headers = { "content-type": contentType };
    assert.equal((await post({ path: "/", headers, body })).status, 200);
    const item = await readFirst();
    assert.deepEqual([item.title, item.body, item.channel], ["Ä", "42 GB", "alerts"]);
    assert.equal((await post({ headers, body })).status, 200);
    assert.equal((await readFirst()).body, body);
  }
});

test("PUT sends, and a picture in the body is not kept, but named in the text", async (t) => {
  const { post, readFirst } = await startNtfyFixture(t);
  const picture = Buffer.alloc(2_000_000, Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00]));
  const headers = { filename: "cam.jpg", "x-message": "Somebody is at the door" };
  assert.equal((await post({ method: "PUT", headers, body: picture })).status, 200);
  assert.equal((await readFirst()).body, "Somebody is at the door\n(not kept: cam.jpg)");
  const tooLarge = await post({ body: Buffer.alloc(16 * 1024 * 1024) });
  assert.deepEqual([tooLarge.status, JSON.parse(tooLarge.text).code], [413, 41303]);
  const json = `{"topic":"t","message":"${"x".repeat(300_000)}"}`;
  assert.equal(JSON.parse((await post({ path: "/", body: json })).text).code, 41303);
});

test("Markdown is rendered in the feed, and arrives on the phone without its marks", async (t) => {
  const { post, phone, readFirst } = await startNtfyFixture(t);
  await post({ headers: { markdown: "yes" }, body: "```\nBackup **done**\n```" });
  assert.equal(JSON.parse((await phone.next()).text).notification.body, "Backup **done**");
  assert.equal((await readFirst()).markdown, true);
});

test("the extras are stored with the notification", async (t) => {
  const { app, post } = await startNtfyFixture(t);
  const actions = "view, Open, https://a.example/";
  await post({
    headers: { priority: "5", tags: "db-1", actions, "x-sequence-id": "s" },
    body: "x",
  });
  const { db } = app.app.context.database;
  const row = await db.selectFrom("notification").select("extras").executeTakeFirstOrThrow();
  const action = { id: "1", action: "view", label: "Open", clear: false };
  assert.deepEqual(JSON.parse(row.extras ?? ""), {
    priority: 5,
    tags: ["db-1"],
    actions: [{ ...action, url: "https://a.example/" }],
    sequenceId: "s",
  });
});

test("a repeated Idempotency-Key sends once and gets the same response, and X-TTL sets the expiry", async (t) => {
  const { post, listFeed } = await startNtfyFixture(t);
  const headers = {
    "idempotency-key": "one",
    "x-ttl": "60",
    actions: "view, a, https://a.example",
  };
  const first = await post({ headers, body: "x" });
  const second = await post({ headers, body: "x" });
  assert.equal(first.text, second.text);
  const { time, expires } = JSON.parse(first.text);
  assert.equal(expires - time, 60);
  assert.equal((await post({ headers, body: "y" })).status, 400);
  const tooShort = await post({ headers: { "x-ttl": "0" }, body: "x" });
  assert.deepEqual([tooShort.status, JSON.parse(tooShort.text).code], [400, 40000]);
  assert.equal((await listFeed()).length, 1);
});

test("hostile texts arrive unchanged in the text, and break neither a title nor JSON", async (t) => {
  const { post, readFirst } = await startNtfyFixture(t);
  for (const text of HOSTILE_TEXTS) {
    const title = encodeURIComponent(`t ${text.toWellFormed()}`);
    const { status } = await post({ path: `/backups?title=${title}`, body: `m ${text}` });
    assert.equal(status, 200, text);
    const expected = cleanText(`m ${text}`.toWellFormed()).trim();
    assert.equal((await readFirst()).body, expected);
    const body = { topic: "t", message: `m ${text}`, title: text, tags: [text], click: text };
    assert.equal((await post({ path: "/", body })).status, 200, text);
  }
});
