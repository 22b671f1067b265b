import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { SPOKEN_DIALECTS } from "#config/dialects.ts";
import { registerDialects } from "#dialects/register.ts";
import { isReservedName } from "#dialects/reserved-names.ts";
import { createServer } from "#http/server.ts";
import { addNtfyApp } from "../support/add-app.ts";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { basic } from "../support/ntfy-subscriber.ts";
import { requestJson, send } from "./http-requests.ts";

const WITHOUT_DIALECTS = { environment: { TOCSIN_DIALECTS: "none" } };

const NOT_FOUND = {
  success: false,
  message: "There is nothing at this path. The paths are listed at /docs.",
  error: { code: "not_found" },
};

/** Requests of the clients of other services, and the responses of a server that speaks no dialect. */
const EARLIER_RESPONSES = [
  ["POST", "/message?token=Aaaaaaaaaaaaaaa", 404, NOT_FOUND],
  ["POST", "//message", 404, NOT_FOUND],
  ["GET", "/version", 404, NOT_FOUND],
  ["POST", "/backups", 404, NOT_FOUND],
  ["PUT", "/backups", 404, NOT_FOUND],
  ["GET", "/backups/publish?message=m", 404, NOT_FOUND],
  ["GET", "/backups/json?poll=1", 404, NOT_FOUND],
  ["GET", "/backups/ws", 404, NOT_FOUND],
  ["GET", "/v1/account", 404, NOT_FOUND],
  ["POST", "/1/messages.json", 404, NOT_FOUND],
  [
    "POST",
    "/",
    405,
    {
      success: false,
      message: "POST is not allowed here. Allowed: GET, HEAD.",
      error: { code: "method_not_allowed" },
    },
  ],
] as const;

test("without dialects, the paths of other services respond as before", async (t) => {
  const { url } = await startApp(t, WITHOUT_DIALECTS);
  for (const [method, path, status, expected] of EARLIER_RESPONSES) {
    const response = await requestJson(url, { method, path, body: "message=m" });
    assert.equal(response.status, status, path);
    const { error, ...rest } = JSON.parse(response.text);
    const requestId = response.headers["x-request-id"];
    assert.deepEqual({ ...rest, error }, { ...expected, error: { ...expected.error, requestId } });
  }
});

test("with dialects, our own paths respond as without them, even with extra slashes or other methods", async (t) => {
  const { url } = await startApp(t);
  for (const [method, path, status] of [
    ["GET", "/message/1", 404],
    ["DELETE", "/backups", 404],
    ["POST", "/backups/more", 404],
    ["POST", "/a.b", 404],
    ["GET", "/backups", 404],
    ["POST", "//api/v1/notify", 404],
    ["GET", "//healthz", 404],
    ["POST", "/sign-in", 405],
    ["PUT", "/healthz", 405],
    ["DELETE", "/", 405],
    ["DELETE", "/api/v1/notify", 405],
    ["POST", "/api/v1/notify", 401],
  ] as const) {
    assert.equal((await requestJson(url, { method, path })).status, status, `${method} ${path}`);
  }
});

/** The routes of all dialects, and the status of a request without a credential. */
const FOREIGN_ROUTES: Readonly<Record<string, number>> = {
  "POST /": 403,
  "PUT /": 403,
  "POST /:topic": 403,
  "POST //:topic": 403,
  "PUT /:topic": 403,
  "PUT //:topic": 403,
  "GET /:topic/publish": 403,
  "GET //:topic/publish": 403,
  "GET /:topic/send": 403,
  "GET //:topic/send": 403,
  "GET /:topic/trigger": 403,
  "GET //:topic/trigger": 403,
  "GET /:topics/auth": 403,
  "GET //:topics/auth": 403,
  "GET /:topics/json": 403,
  "GET //:topics/json": 403,
  "GET /:topics/raw": 403,
  "GET //:topics/raw": 403,
  "GET /:topics/sse": 403,
  "GET //:topics/sse": 403,
  "GET /:topics/ws": 403,
  "GET //:topics/ws": 403,
  "DELETE /v1/account/token": 401,
  "DELETE //v1/account/token": 401,
  "GET /v1/account": 401,
  "GET //v1/account": 401,
  "GET /v1/health": 200,
  "GET //v1/health": 200,
  "POST /v1/account/token": 401,
  "POST //v1/account/token": 401,
  "GET /version": 200,
  "GET //version": 200,
  "POST /message": 401,
  "POST //message": 401,
  "GET /message": 401,
  "GET //message": 401,
  "DELETE /message": 401,
  "DELETE //message": 401,
  "DELETE /message/:id": 401,
  "DELETE //message/:id": 401,
  "GET /application": 401,
  "GET //application": 401,
  "GET /application/:id/message": 401,
  "GET //application/:id/message": 401,
  "DELETE /application/:id/message": 401,
  "DELETE //application/:id/message": 401,
  "GET /client": 401,
  "GET //client": 401,
  "POST /client": 401,
  "POST //client": 401,
  "DELETE /client/:id": 401,
  "DELETE //client/:id": 401,
  "GET /current/user": 401,
  "GET //current/user": 401,
  "GET /plugin": 401,
  "GET //plugin": 401,
  "GET /stream": 401,
  "GET //stream": 401,
  "GET /gotifyinfo": 200,
  "GET //gotifyinfo": 200,
  "GET /health": 200,
  "GET //health": 200,
  "POST /1/messages.json": 400,
  "POST //1/messages.json": 400,
  "POST /1/users/validate.json": 400,
  "POST //1/users/validate.json": 400,
};

test("the dialects have only the listed routes, and every route that sends needs a credential", async (t) => {
  const { url } = await startApp(t);
  const server = createServer({
    log: pino({ level: "silent" }),
    newId: () => "1",
    trustProxy: false,
  });
  const routes: string[] = [];
  server.addHook("onRoute", ({ method, url: path, config }) => {
    if (config?.isForeign === true)
      routes.push(...[method].flat().map((name) => `${name} ${path.replace(/\(.*\)/, "")}`));
  });
  // The handlers use the other dependencies only when a request arrives.
  const deps = { dialects: SPOKEN_DIALECTS } as unknown as Parameters<typeof registerDialects>[1];
  registerDialects(server, deps);
  await server.ready();
  assert.deepEqual(routes.toSorted(), Object.keys(FOREIGN_ROUTES).toSorted());
  for (const [route, status] of Object.entries(FOREIGN_ROUTES)) {
    const [method = "", path = ""] = route.replace(/:topics?/, "backups").split(" ");
    const cookie = "tocsin_session=abc; __Host-tocsin_session=abc";
    const response = await requestJson(url, { method, path, headers: { cookie } });
    assert.equal(response.status, status, route);
    const { headers } = response;
    for (const name of ["www-authenticate", "set-cookie", "access-control-allow-origin"]) {
      assert.equal(headers[name], undefined, `${route}: ${name}`);
    }
    // Such paths and queries contain keys.
    assert.equal(headers["cache-control"], "no-store", route);
    assert.equal(headers["x-robots-tag"], "noindex", route);
  }
});

test("names of our own paths and of the APIs of other services are reserved, in any letter case", async (t) => {
  const { app } = await startApp(t);
  for (const name of ["api", "docs", "sign-in", "n", "metrics", "Message", "v1", "1", "STREAM"]) {
    assert.equal(isReservedName(app.server, name), true, name);
  }
  for (const name of ["backups", "messages", "feed", "alerts"]) {
    assert.equal(isReservedName(app.server, name), false, name);
  }
});

test("a server without routes reserves only the names of other services", () => {
  const server = createServer({
    log: pino({ level: "silent" }),
    newId: () => "1",
    trustProxy: false,
  });
  assert.equal(isReservedName(server, "api"), false);
  assert.equal(isReservedName(server, "message"), true);
});

test("no log line or metric contains a secret, a path or a text of a request to a dialect", async (t) => {
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const app = await startApp(t, { log });
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  const { key: token } = await ann.client.keys.create({ kind: "account", dialect: "gotify" });
  const { key: ntfyToken } = await ann.client.keys.create({ kind: "account", dialect: "ntfy" });
  const pushover = await ann.client.keys.create({ kind: "account", dialect: "pushover" });
  const wrongToken = "Azebrazebrazebr";
  const { secret: password, topic } = await addNtfyApp(app, ann);
  await sendAsApp(app.url, password, topic);
  for (const key of [token, ntfyToken, pushover.key, wrongToken, ann.key, password]) {
    const headers = { "x-gotify-key": key, authorization: `Bearer ${key}` };
    const fields = { token: key, user: pushover.userKey, device: "zebra", url: "zebra" };
    const body = { title: "zebra", message: "zebra", topic: `${key}_zebra`, ...fields };
    for (const path of listSendingPaths(key)) {
      await send(app.url, { method: "POST", path, headers, body });
      await send(app.url, { method: "POST", path, headers, body: '{"message":' });
      await send(app.url, { method: "GET", path, headers });
      await send(app.url, { method: "POST", path: `${path}%zz`, headers, body });
    }
  }
  const metrics = await send(app.ownUrl, { path: "/metrics" });
  for (const route of METRIC_ROUTES) {
    assert.ok(metrics.text.includes(`route="${route}"`), route);
  }
  await app.app.stop();
  const keys = [token, ntfyToken, pushover.key, wrongToken, ann.key];
  for (const secret of [...keys, password, topic, "zebra"]) {
    assert.deepEqual(
      lines.filter((line) => line.includes(secret)),
      [],
    );
    assert.ok(!metrics.text.includes(secret), secret);
  }
});

/** Routes that metrics name. */
const METRIC_ROUTES = [
  "/message",
  "/",
  "/:topic",
  "/:topic/publish",
  "/:topics/json",
  "/1/messages.json",
];

/** Returns the paths at which senders of each API put their key. */
function listSendingPaths(key: string): readonly string[] {
  const auth = Buffer.from(`Bearer ${key}`).toString("base64url");
  return [
    "/",
    `/${key}_zebra`,
    `/zebra/publish?message=zebra&auth=${auth}`,
    `/message?token=${key}`,
    `/1/messages.json?token=${key}&user=zebra&message=zebra`,
    `/1/users/validate.json?token=${key}&user=zebra`,
    `//message?token=${key}`,
    `/${key}_zebra?auth=${key}`,
  ];
}

/** Sends the requests of an app, valid and invalid ones. */
async function sendAsApp(url: string, password: string, topic: string): Promise<void> {
  const headers = basic(password);
  const auth = Buffer.from(headers["authorization"] ?? "").toString("base64url");
  for (const path of [
    `/${topic},zebra/json?poll=1&auth=${auth}`,
    `/${topic},zebra/raw?poll=1&since=zebra&auth=${auth}`,
    `/zebra/ws?auth=${auth}`,
    `/${topic}/auth?auth=${auth}zebra`,
    `/v1/account?auth=${auth}`,
  ]) {
    await send(url, { path });
    await send(url, { path, headers });
  }
  await send(url, { method: "DELETE", path: "/v1/account/token?token=tk_zebra", headers });
}
