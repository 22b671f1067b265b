import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { send, type TestRequest } from "../../../../test/contract/http-requests.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { API_KEY, CODE, startGotifyServer } from "../../../../test/support/gotify-server.ts";
import { APP_PASSWORD, createMailboxMessage } from "../../../../test/support/memory-apps.ts";
import { openWebSocket, sendUntil } from "../../../../test/support/ntfy-subscriber.ts";

const UNAUTHORIZED = {
  error: "Unauthorized",
  errorCode: 401,
  errorDescription:
    "you need to provide a valid access token or user credentials to access this api",
};

/** The app is signed in with the token that its routes take. */
async function setUp(t: TestContext) {
  const server = await startGotifyServer(t);
  const token = APP_PASSWORD;
  const request = async (input: string | TestRequest, key: string | null = token) => {
    const testRequest = typeof input === "string" ? { path: input } : input;
    const headers = { ...(key === null ? {} : { "x-gotify-key": key }), ...testRequest.headers };
    const response = await send(server.url, { ...testRequest, headers });
    const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
    return { ...response, body: isJson ? JSON.parse(response.text) : null };
  };
  const put = (count: number) => {
    for (let number = 1; number <= count; number += 1) {
      const channel = number % 2 === 0 ? "feed" : "backups";
      server.apps.messages.push(createMailboxMessage({ number, channel }));
    }
  };
  return { ...server, token, request, put };
}

function basic(name: string, password: string) {
  const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
  return { headers: { authorization, "content-type": "application/json" } };
}

interface Listed {
  readonly id: number;
  readonly appid: number;
  readonly name: string;
}

const ANN = basic("ann@example.org", CODE);

test("an app signs in once with a code: it looks, adds itself, and is known by its token", async (t) => {
  const { request, apps } = await setUp(t);
  assert.deepEqual((await request("/version", null)).body.version, "2.9.1");
  const user = await request({ path: "/current/user", ...ANN }, null);
  assert.deepEqual([user.status, user.body.name, user.body.admin], [200, "ann@example.org", false]);
  assert.ok(Number.isSafeInteger(user.body.id));
  const added = await request(
    { method: "POST", path: "/client", ...ANN, body: '{"name":"Pixel 9"}' },
    null,
  );
  assert.equal(added.status, 200);
  const { token, id, ...rest } = added.body;
  assert.deepEqual(rest, { name: "Pixel 9", lastUsed: null });
  assert.ok(Number.isSafeInteger(id));
  assert.deepEqual(apps.addedNames, ["Pixel 9"]);
  assert.equal((await request("/current/user", token)).body.name, "ann@example.org");
  const again = { method: "POST", path: "/client", ...ANN, body: '{"name":"Pixel 9"}' };
  assert.equal((await request(again, null)).status, 401);
  assert.equal((await request({ path: "/current/user", ...ANN }, null)).status, 401);
});

test("a sign-in with a wrong code or name adds nothing, and an app without a name leaves the code as it is", async (t) => {
  const { request, apps } = await setUp(t);
  const client = { method: "POST", path: "/client", body: '{"name":"Pixel 9"}' };
  for (const credentials of [
    basic("ann@example.org", "ABCDE23457"),
    basic("bob@example.org", CODE),
    basic("", ""),
    { headers: {} },
    { headers: { authorization: "Basic !" } },
  ]) {
    const added = await request({ ...client, ...credentials }, null);
    assert.deepEqual([added.status, added.body], [401, UNAUTHORIZED]);
    assert.equal(added.headers["www-authenticate"], undefined);
    const looked = await request({ path: "/current/user", ...credentials }, null);
    assert.deepEqual([looked.status, looked.body], [401, UNAUTHORIZED]);
  }
  const unnamed = await request({ ...client, ...ANN, body: "{}" }, null);
  assert.equal(unnamed.status, 400);
  assert.deepEqual(apps.addedNames, []);
  assert.equal((await request({ ...client, ...ANN }, null)).status, 200);
});

test("an app finds its own client, and removes itself", async (t) => {
  const { request, token, apps } = await setUp(t);
  const { body } = await request("/client");
  const { id: ownId } = body[0] as Listed;
  assert.deepEqual(body, [{ id: ownId, token, name: "Pixel", lastUsed: null }]);
  for (const id of ["7", "x", "0"]) {
    assert.equal((await request({ method: "DELETE", path: `/client/${id}` })).status, 404);
  }
  assert.equal(apps.secrets.size, 1);
  const removed = await request({ method: "DELETE", path: `/client/${ownId}` });
  assert.deepEqual([removed.status, removed.text], [200, ""]);
  const after = await request("/current/user");
  assert.deepEqual([after.status, after.body], [401, UNAUTHORIZED]);
});

test("messages are listed newest first, in pages, with all members", async (t) => {
  const { request, put } = await setUp(t);
  put(5);
  const ids = async (path: string) => {
    const { body } = await request(path);
    return body.messages.map(({ id }: Listed) => id);
  };
  assert.deepEqual(await ids("/message?limit=1&since=0"), [5]);
  assert.deepEqual(await ids("/message?limit=3&since=5"), [4, 3, 2]);
  assert.deepEqual(await ids("/message"), [5, 4, 3, 2, 1]);
  const { body } = await request("/message?limit=1");
  assert.equal(body.paging.next, "https://push.example.org/message?limit=1&since=5");
  for (const value of Object.values(body.messages[0])) assert.notEqual(value, null);
  const refused = await request("/message?limit=201");
  assert.deepEqual([refused.status, refused.body.errorCode], [400, 400]);
});

test("a page counts as fetched once its response is written, and not if the app leaves before", async (t) => {
  const { url, token, request, put, apps, countConnections } = await setUp(t);
  put(2);
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  apps.beforeFetch = async () => {
    asked.resolve();
    await gate.promise;
  };
  const controller = new AbortController();
  const headers = { "x-gotify-key": token };
  const response = sendUntil(url, { path: "/message", headers, signal: controller.signal });
  await asked.promise;
  controller.abort();
  await response;
  await eventually(countConnections, (count) => count === 0);
  gate.resolve();
  await request("/message?limit=1");
  await eventually(
    async () => apps.fetchedNumbers,
    ({ length }) => length > 0,
  );
  assert.deepEqual(apps.fetchedNumbers, [2]);
});

test("each application of a message is listed with a picture, and so are its messages", async (t) => {
  const { request, put } = await setUp(t);
  put(4);
  const { body: messages } = await request("/message");
  const { body: applications } = await request("/application");
  const appIds = new Set(messages.messages.map(({ appid }: Listed) => appid));
  assert.deepEqual(new Set(applications.map(({ id }: Listed) => id)), appIds);
  const backups = applications.find(({ name }: Listed) => name === "backups");
  assert.deepEqual(backups, {
    id: backups.id,
    name: "backups",
    description: "",
    image: "icons/bell-192.png",
    internal: false,
    defaultPriority: 5,
  });
  const path = `/application/${backups.id}/message`;
  const { body } = await request(`${path}?limit=1`);
  assert.deepEqual([body.messages[0].id, body.messages.length], [3, 1]);
  assert.equal(body.paging.next, `https://push.example.org${path}?limit=1&since=3`);
  assert.equal((await request("/application/7/message")).status, 404);
});

test("an app removes one message, those of an application, and all", async (t) => {
  const { request, put, apps } = await setUp(t);
  put(4);
  const remove = async (path: string) => {
    const { status, text } = await request({ method: "DELETE", path });
    return [status, text, apps.messages.map(({ number }) => number)];
  };
  const { body } = await request("/application");
  const { id } = body.find(({ name }: Listed) => name === "backups");
  assert.deepEqual(await remove("/message/2"), [200, "", [1, 3, 4]]);
  assert.equal((await remove("/message/x"))[0], 404);
  assert.deepEqual(await remove(`/application/${id}/message`), [200, "", [4]]);
  assert.deepEqual(await remove("/message"), [200, "", []]);
});

test("a monitor learns that nothing can be stored, as from Gotify", async (t) => {
  const { context, request } = await setUp(t);
  t.mock.method(context.database, "isWritable", async () => false);
  const { status, body } = await request("/health", null);
  assert.deepEqual([status, body], [500, { health: "orange", database: "red" }]);
});

test("only the routes of monitors need no token, and an API key is refused", async (t) => {
  const { request } = await setUp(t);
  const green = { health: "green", database: "green" };
  assert.deepEqual((await request("/health", null)).body, green);
  const info = { version: "2.9.1", register: false, oidc: false };
  assert.deepEqual((await request("/gotifyinfo", null)).body, info);
  assert.deepEqual((await request("/plugin")).body, []);
  for (const [method, path] of [
    ["GET", "/message"],
    ["DELETE", "/message"],
    ["DELETE", "/message/1"],
    ["GET", "/application"],
    ["GET", "/application/1/message"],
    ["DELETE", "/application/1/message"],
    ["GET", "/client"],
    ["DELETE", "/client/1"],
    ["GET", "/current/user"],
    ["GET", "/plugin"],
    ["GET", "/stream"],
  ] as const) {
    for (const key of [null, "C".repeat(44)]) {
      const { status, body } = await request({ method, path }, key);
      assert.deepEqual([status, body], [401, UNAUTHORIZED], `${method} ${path}`);
    }
    const { status } = await request({ method, path }, API_KEY);
    assert.equal(status, 403, `${method} ${path}`);
  }
});

test("the token of an app sends nothing", async (t) => {
  const { request, apps } = await setUp(t);
  const token = `C${"x".repeat(43)}`;
  apps.secrets.set(token, token);
  const body = '{"message":"m"}';
  const { status } = await request({ method: "POST", path: "/message", body }, token);
  assert.equal(status, 403);
});

test("a stream has one message in each frame, in the order of their numbers, and the pong proves them", async (t) => {
  const { url, token, timers, put, apps } = await setUp(t);
  put(2);
  const { next, pings } = await openWebSocket(t, `${url}/stream?token=${token}`, {});
  // The app fetches by itself first.
  assert.equal(apps.connections.size, 0);
  timers.shift()?.();
  assert.equal(JSON.parse(await next()).id, 1);
  assert.equal(JSON.parse(await next()).id, 2);
  await apps.deliver(createMailboxMessage({ number: 3 }));
  assert.equal(JSON.parse(await next()).id, 3);
  while (apps.confirmed.at(-1) !== 3) await new Promise(setImmediate);
  assert.equal(pings.at(-1), "3");
  assert.deepEqual(apps.positions, [{ kind: "owed" }]);
});

test("a stream is not opened if its app leaves before", async (t) => {
  const { url, token, timers, apps } = await setUp(t);
  const { webSocket } = await openWebSocket(t, `${url}/stream?token=${token}`, {});
  assert.equal(timers.length, 1);
  webSocket.terminate();
  while (timers.length > 0) await new Promise(setImmediate);
  assert.equal(apps.connections.size, 0);
});

test("a stream ends without a closing handshake when it cannot be opened, and when the server stops", async (t) => {
  const { url, token, timers, apps, close } = await setUp(t);
  const refused = await openWebSocket(t, `${url}/stream?token=${token}`, {});
  apps.beforeOpen = async () => {
    throw new Error("The database is away.");
  };
  timers.shift()?.();
  assert.equal(await refused.ended, 1006);
  apps.beforeOpen = async () => {};
  const cut = await openWebSocket(t, `${url}//stream`, { "x-gotify-key": token });
  timers.shift()?.();
  await close();
  assert.equal(await cut.ended, 1006);
});

test("a stream is refused with a plain response", async (t) => {
  const { url, token, request } = await setUp(t);
  assert.equal((await request("/stream")).status, 400);
  await assert.rejects(openWebSocket(t, `${url}/stream?token=wrong`, {}), /401/);
  const origin = { origin: "https://evil.example" };
  await assert.rejects(openWebSocket(t, `${url}/stream?token=${token}`, origin), /403/);
});
