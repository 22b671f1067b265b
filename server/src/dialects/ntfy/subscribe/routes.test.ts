import assert from "node:assert/strict";
import test from "node:test";
import { requestJson, send } from "../../../../test/contract/http-requests.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import {
  APP_PASSWORD,
  createMailboxMessage,
  OWN_TOPIC,
} from "../../../../test/support/memory-apps.ts";
import {
  API_KEY,
  basic,
  openStream,
  openWebSocket,
  startNtfyServer,
} from "../../../../test/support/ntfy-subscriber.ts";

const FORBIDDEN = { code: 40301, http: 403, error: "forbidden" };
const UNAUTHORIZED = { code: 40101, http: 401, error: "unauthorized" };
const TRANSPORTS = ["json", "sse", "raw"] as const;

test("an app password is accepted in every place where ntfy's programs put it", async (t) => {
  const { url } = await startNtfyServer(t);
  const { authorization = "" } = basic();
  for (const [path, headers] of [
    ["/backups/auth", { authorization }],
    [`//${OWN_TOPIC},backups,upAbC/auth`, { authorization: `Bearer ${APP_PASSWORD}` }],
    [`/backups/auth?auth=${Buffer.from(authorization).toString("base64url")}`, {}],
  ] as const) {
    const { status, text, headers: received } = await requestJson(url, { path, headers });
    assert.deepEqual([status, JSON.parse(text)], [200, { success: true }], path);
    assert.equal(received["cache-control"], "no-store");
  }
});

test("without an app password, nothing can be subscribed to, and many wrong ones are refused with 429", async (t) => {
  const { url, wrongKeyAddresses } = await startNtfyServer(t);
  for (const path of ["auth", "ws", ...TRANSPORTS].map((name) => `/backups/${name}`)) {
    const ask = async (headers = {}) => {
      const response = await requestJson(url, { path, headers });
      for (const name of ["www-authenticate", "set-cookie", "access-control-allow-origin"]) {
        assert.equal(response.headers[name], undefined, name);
      }
      return [response.status, JSON.parse(response.text)];
    };
    assert.deepEqual(await ask(), [403, FORBIDDEN]);
    assert.deepEqual(await ask({ cookie: "tocsin_session=a" }), [403, FORBIDDEN]);
    assert.deepEqual(await ask(basic(API_KEY)), [403, FORBIDDEN]);
    assert.deepEqual(await ask(basic("wrong")), [401, UNAUTHORIZED]);
  }
  assert.equal(wrongKeyAddresses.length, 5);
  // The 31st wrong password is one too many.
  for (let count = 0; count < 26; count += 1) {
    await send(url, { path: "/backups/auth", headers: basic("wrong") });
  }
  const slowed = await send(url, { path: "/backups/auth", headers: basic("wrong") });
  assert.deepEqual([slowed.status, JSON.parse(slowed.text).code], [429, 42909]);
  assert.equal((await send(url, { path: "/backups/auth", headers: basic() })).status, 200);
});

test("a stream begins with open, and writes each message of its topics in its format", async (t) => {
  const { apps, url } = await startNtfyServer(t);
  apps.messages.push(createMailboxMessage({ body: "owed" }));
  for (const [transport, type, opening, owed, later] of [
    [
      "json",
      "application/x-ndjson",
      /^\{"id":"[0-9a-f-]{36}","time":\d+,"event":"open","topic":"a,backups"\}\n/,
      '"owed"}\n',
      '"later"}\n',
    ],
    [
      "sse",
      "text/event-stream",
      /^event: open\ndata: \{.*\}\n\ndata: /,
      '"owed"}\n\n',
      '"later"}\n\n',
    ],
    ["raw", "text/plain", /^\n/, "owed\n", "later\n"],
  ] as const) {
    const stream = await openStream(t, `${url}/a,backups/${transport}`);
    assert.equal(stream.status, 200);
    assert.equal(stream.headers["content-type"], `${type}; charset=utf-8`);
    assert.equal(stream.headers["x-accel-buffering"], "no");
    assert.equal(stream.headers["transfer-encoding"], "chunked");
    assert.match(stream.headers["x-request-id"]?.toString() ?? "", /^[0-9a-f-]{36}$/);
    assert.match(await stream.readUntil(owed), opening);
    await eventually(
      async () => apps.connections.size,
      (size) => size === 1,
    );
    await apps.deliver(createMailboxMessage({ number: 2, body: "later" }));
    await apps.deliver(createMailboxMessage({ number: 3, channel: "other", body: "unasked" }));
    assert.doesNotMatch(await stream.readUntil(later), /unasked/);
    stream.response.destroy();
    await eventually(
      async () => apps.connections.size,
      (size) => size === 0,
    );
  }
  assert.deepEqual(
    apps.positions,
    Array.from({ length: 3 }, () => ({ kind: "owed" })),
  );
});

test("a WebSocket has an event in each frame, and a pong confirms the number of its ping", async (t) => {
  const { apps, url } = await startNtfyServer(t);
  apps.messages.push(createMailboxMessage({ body: "owed" }));
  const { next, pings, webSocket } = await openWebSocket(t, `${url}/${OWN_TOPIC}/ws?since=all`);
  const { event, topic } = JSON.parse(await next());
  assert.deepEqual([event, topic], ["open", OWN_TOPIC]);
  const owed = JSON.parse(await next());
  assert.deepEqual([owed.event, owed.topic, owed.message], ["message", OWN_TOPIC, "owed"]);
  await eventually(
    async () => apps.confirmed.at(-1),
    (number) => number === 1,
  );
  await apps.deliver(createMailboxMessage({ number: 7 }));
  await eventually(
    async () => apps.confirmed.at(-1),
    (number) => number === 7,
  );
  assert.deepEqual(pings, ["1", "7"]);
  assert.equal(webSocket.extensions, "");
  assert.deepEqual(apps.positions, [{ kind: "all" }]);
  // An app cannot confirm more than it was asked for, nor anything else.
  for (const payload of ["8", "x", "", "6", "7 ", "7"]) webSocket.pong(payload);
  await eventually(
    async () => apps.confirmed.length,
    (count) => count === 3,
  );
  assert.deepEqual(apps.confirmed, [1, 7, 7]);
  const ponged = Promise.withResolvers<string>();
  webSocket.once("pong", (bytes: Buffer) => ponged.resolve(bytes.toString()));
  webSocket.ping("from the app");
  assert.equal(await ponged.promise, "from the app");
  webSocket.terminate();
  await eventually(
    async () => apps.connections.size,
    (size) => size === 0,
  );
});

test("a quiet stream sends a sign of life every 45 seconds, except over a WebSocket, which has pings", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { apps, url } = await startNtfyServer(t);
  const [json, sse, raw] = await Promise.all(
    TRANSPORTS.map((transport) => openStream(t, `${url}/backups/${transport}`)),
  );
  const { next } = await openWebSocket(t, `${url}/backups/ws`);
  await eventually(
    async () => apps.connections.size,
    (size) => size === 4,
  );
  t.mock.timers.tick(44_999);
  t.mock.timers.tick(1);
  assert.match(
    (await json?.readUntil("keepalive")) ?? "",
    /\n\{"id":"[0-9a-f-]{36}","time":\d+,"event":"keepalive","topic":"backups"\}\n$/,
  );
  assert.match((await sse?.readUntil("keepalive\ndata")) ?? "", /\n\nevent: keepalive\ndata: \{/);
  assert.equal(await raw?.readUntil("\n\n"), "\n\n");
  await apps.deliver(createMailboxMessage({ body: "now" }));
  assert.equal(JSON.parse(await next()).event, "open");
  assert.equal(JSON.parse(await next()).message, "now");
});

test("a poll ends after its messages, and is empty if there are none", async (t) => {
  const { apps, url } = await startNtfyServer(t);
  const poll = (path: string) => send(url, { path, headers: basic() });
  const empty = await poll("/backups/json?poll=1");
  assert.deepEqual([empty.status, empty.text], [200, ""]);
  assert.equal(empty.headers["content-type"], "application/x-ndjson; charset=utf-8");
  const messages = [1, 2].map((number) => createMailboxMessage({ number, body: `m${number}` }));
  apps.messages.push(...messages);
  const id = messages[1]?.notificationId ?? "";
  const lines = (await poll(`/${OWN_TOPIC}/json?poll=yes&since=10m`)).text.split("\n");
  assert.deepEqual(
    lines.slice(0, -1).map((line) => JSON.parse(line).message),
    ["m1", "m2"],
  );
  const one = await poll(`/${OWN_TOPIC}/json?poll=1&id=${id.toUpperCase()}`);
  assert.deepEqual(JSON.parse(one.text).id, id);
  assert.equal((await poll("/backups/raw?po=1&m=m1")).text, "m1\n");
  assert.match(
    (await poll("/backups/sse?poll=1&si=none")).text,
    /^data: \{.*\}\n\ndata: \{.*\}\n\n$/,
  );
  assert.deepEqual(
    apps.positions.map(({ kind }) => kind),
    ["all", "time", "all", "all", "none"],
  );
});

test("a poll over a WebSocket ends its connection after the messages", async (t) => {
  const { apps, url } = await startNtfyServer(t);
  const empty = await openWebSocket(t, `${url}/backups/ws?poll=1`);
  assert.equal(await empty.ended, 1006);
  apps.messages.push(createMailboxMessage());
  const { next, ended } = await openWebSocket(t, `${url}/backups/ws?poll=1`);
  assert.equal(JSON.parse(await next()).event, "message");
  assert.equal(await ended, 1006);
});

test("a notification that was read elsewhere is cleared in each format", async (t) => {
  const { apps, url } = await startNtfyServer(t);
  const [json, raw] = await Promise.all([
    openStream(t, `${url}/backups,other/json`),
    openStream(t, `${url}/backups/raw`),
  ]);
  await eventually(
    async () => apps.connections.size,
    (size) => size === 2,
  );
  // The sender gave the first one an id of its own. The app got it over an earlier connection.
  const extras = '{"sequenceId":"disk"}';
  for (const connection of apps.connections) {
    connection.clear(createMailboxMessage({ extras }));
    connection.clear({ notificationId: "n1", extras: null });
  }
  await raw.readUntil("\n\n\n");
  const text = await json.readUntil('"topic":"other","sequence_id":"n1"}\n');
  const [, ...clears] = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    clears.map(({ event, topic, sequence_id }) => [event, topic, sequence_id]),
    [
      ["message_clear", "backups", "disk"],
      ["message_clear", "other", "disk"],
      ["message_clear", "backups", "n1"],
      ["message_clear", "other", "n1"],
    ],
  );
  assert.equal(new Set(clears.map(({ id }) => id)).size, 4);
});

test("an invalid parameter is refused before a stream begins", async (t) => {
  const { url } = await startNtfyServer(t);
  for (const [path, status, code] of [
    ["/backups/json?since=x", 400, 40008],
    ["/backups/sse?since=1d", 400, 40008],
    ["/backups/raw?priority=9", 400, 40007],
    ["/backups,message/json", 400, 40010],
    ["/backups,readyz/json", 400, 40010],
    [`/${API_KEY}_backups/json`, 400, 40010],
    ["/backups/ws", 400, 40016],
  ] as const) {
    const response = await requestJson(url, { path, headers: basic() });
    assert.deepEqual([response.status, JSON.parse(response.text).code], [status, code], path);
  }
});

test("paths that ntfy's server does not know are unknown here, too", async (t) => {
  const { url } = await startNtfyServer(t);
  for (const [method, path] of [
    ["HEAD", "/backups/json"],
    ["HEAD", "/backups/auth"],
    ["POST", "/backups/json"],
    ["OPTIONS", "/backups/json"],
    ["GET", "/backups?up=1"],
    ["GET", "/back.ups/json"],
    ["GET", "/backups,/json"],
    ["GET", "/readyz/json"],
    ["GET", `/${"x".repeat(65)}/json`],
  ] as const) {
    const { status } = await requestJson(url, { method, path, headers: basic() });
    assert.equal(status, 404, `${method} ${path}`);
  }
});

test("a WebSocket is refused with a plain response", async (t) => {
  const { apps, url } = await startNtfyServer(t);
  const open = (path: string, headers = basic()) => openWebSocket(t, `${url}${path}`, headers);
  for (const [path, headers, status] of [
    ["/backups/ws", {}, 403],
    ["/backups/ws", basic("wrong"), 401],
    ["/backups/ws?since=x", basic(), 400],
    ["/backups/ws", { ...basic(), origin: "https://evil.example" }, 403],
    ["/backups/ws", { ...basic(), origin: "null" }, 403],
  ] as const) {
    await assert.rejects(open(path, headers), new RegExp(`Unexpected server response: ${status}`));
  }
  assert.equal(apps.connections.size, 0);
  await open("/backups/ws", { ...basic(), origin: "https://push.example.org" });
  await open("/backups/ws", { ...basic(), origin: url });
});

test("an upgrade to HTTP/2, which Java offers, gets a stream over HTTP/1.1", async (t) => {
  const { url } = await startNtfyServer(t);
  const upgrade = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AA" };
  const stream = await openStream(t, `${url}/backups/json`, { ...basic(), ...upgrade });
  assert.equal(stream.status, 200);
  await stream.readUntil('"open"');
});
