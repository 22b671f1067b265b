import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import test from "node:test";
import { signUp, startApp } from "../support/app.ts";
import { requestJson } from "./http-requests.ts";
import { startNtfyFixture } from "./ntfy-fixture.ts";

test("a request without a key is 403, and all wrong keys get the same bytes", async (t) => {
  const { app, ann, listFeed } = await startNtfyFixture(t);
  const postMessage = (path: string, headers = {}) =>
    requestJson(app.url, { method: "POST", path, headers, body: '{"topic":"t","message":"m"}' });
  const pathsWithoutKey = ["/backups", "/", `/${randomUUID()}x`];
  for (const path of pathsWithoutKey) {
    const { status, text } = await postMessage(path, {
      cookie: "tocsin_session=a",
      "x-api-key": ann.key,
    });
    assert.deepEqual([status, JSON.parse(text)], [403, FORBIDDEN], path);
  }
  const invalidJsonResponse = await requestJson(app.url, { method: "POST", path: "/", body: "{" });
  assert.deepEqual(JSON.parse(invalidJsonResponse.text), FORBIDDEN);
  const { key: gotifyKey } = await ann.client.keys.create({ kind: "account", dialect: "gotify" });
  const wrongKeys = [randomUUID(), gotifyKey, "tk_abcdefghijklmnopqrstuvwxyz012", "x"];
  for (const key of wrongKeys) {
    for (const path of ["/backups", "/"]) {
      const { status, headers, text } = await postMessage(path, { authorization: `Bearer ${key}` });
      assert.deepEqual([status, JSON.parse(text)], [401, UNAUTHORIZED], key);
      assert.equal(headers["www-authenticate"], undefined);
      assert.equal(headers["access-control-allow-origin"], undefined);
      assert.equal(headers["set-cookie"], undefined);
      assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/);
    }
  }
  assert.deepEqual(await listFeed(), []);
});

const FORBIDDEN = { code: 40301, http: 403, error: "forbidden" };
const UNAUTHORIZED = { code: 40101, http: 401, error: "unauthorized" };

test("a network that sends many wrong keys is rate-limited, but a valid key still sends", async (t) => {
  const { post } = await startNtfyFixture(t);
  const codes = new Set<number>();
  for (let count = 0; count < 40; count += 1) {
    const { text } = await post({ headers: { authorization: `Bearer ${randomUUID()}` } });
    codes.add(JSON.parse(text).code);
  }
  assert.deepEqual([...codes], [40101, 42909]);
  assert.equal((await post({ body: "x" })).status, 200);
});

test("a key that sends too fast is 429 with Retry-After", async (t) => {
  const environment = { TOCSIN_RATE_LIMIT_PER_S: "1", TOCSIN_RATE_LIMIT_BURST: "1" };
  const app = await startApp(t, { environment, isSingleProcess: true });
  const { key } = await signUp(app, "Ann");
  const send = () => requestJson(app.url, { method: "POST", path: `/${key}`, body: "x" });
  assert.equal((await send()).status, 200);
  const { status, headers, text } = await send();
  assert.deepEqual([status, JSON.parse(text).code], [429, 42901]);
  assert.match(String(headers["retry-after"]), /^\d+$/);
});

test("a reserved name is not a topic, and our own paths respond as without ntfy", async (t) => {
  const { post } = await startNtfyFixture(t);
  for (const [method, path, status, code] of [
    ["POST", "/v1", 400, 40010],
    ["PUT", "/message", 400, 40010],
    ["POST", "/API", 400, 40010],
    ["POST", "/sign-in", 405, "method_not_allowed"],
    ["POST", "/healthz", 405, "method_not_allowed"],
    ["POST", "/api", 404, "not_found"],
    ["POST", "/a.b", 404, "not_found"],
    ["GET", "/backups", 404, "not_found"],
    ["DELETE", "/backups", 404, "not_found"],
    ["PUT", "/backups/id", 404, "not_found"],
  ] as const) {
    const response = await post({ method, path, ...(method === "GET" ? {} : { body: "x" }) });
    const { error, code: ntfyCode = error.code } = JSON.parse(response.text);
    assert.deepEqual([response.status, ntfyCode], [status, code], `${method} ${path}`);
  }
  const inJson = await post({ path: "/", body: { topic: "sign-in", message: "x" } });
  assert.equal(JSON.parse(inJson.text).code, 40010);
});

test("a preview sends nothing by GET, nor does a key for POST only", async (t) => {
  const { app, ann, key, listFeed } = await startNtfyFixture(t);
  const { key: postOnly } = await ann.client.keys.create({ kind: "account", postOnly: true });
  const authorization = `Bearer ${key}`;
  for (const [path, headers] of [
    ["/backups/publish", { authorization, "sec-purpose": "prefetch" }],
    ["/backups/send", { authorization, "user-agent": "Slackbot 1.0" }],
    [`/${postOnly}_backups/trigger`, {}],
  ] as const) {
    const { status, text } = await requestJson(app.url, { path: `${path}?m=x`, headers });
    assert.deepEqual([status, JSON.parse(text).code], [400, 40000]);
  }
  const post = { method: "POST", path: `/${postOnly}_backups`, body: "x" };
  assert.equal((await requestJson(app.url, post)).status, 200);
  assert.equal((await listFeed()).length, 1);
});

test("after a body that is too large, the connection serves the next request", async (t) => {
  const { app, key } = await startNtfyFixture(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const put = async (authorization: Record<string, string>, size: number) => {
    const signal = AbortSignal.timeout(5_000);
    const options = { method: "PUT", agent, headers: authorization, signal };
    const clientRequest = request(`${app.url}/`, options).end(Buffer.alloc(size));
    const [response] = (await once(clientRequest, "response")) as [IncomingMessage];
    response.resume();
    await once(response, "end");
    return response.statusCode;
  };
  const bearer = { authorization: `Bearer ${key}` };
  for (const headers of [bearer, {}]) {
    // The server responds as soon as it has read 15 MiB.
    assert.equal(await put(headers, 15.9 * 1024 * 1024), 413);
    assert.equal(await put(bearer, 1), 400);
  }
});

test("errors have no fields besides those of ntfy", async (t) => {
  const { post, listFeed } = await startNtfyFixture(t);
  for (const [request, code] of [
    [{ headers: { priority: "9" } }, 40007],
    [{ headers: { delay: "30m" } }, 40004],
    [{ headers: { actions: "x" } }, 40018],
    [{ path: "/", body: "{" }, 40017],
    [{ path: "/", body: { topic: "a b" } }, 40009],
  ] as const) {
    const { status, text } = await post({ body: "x", ...request });
    const { error, ...rest } = JSON.parse(text);
    assert.equal(status, 400);
    assert.deepEqual([rest, typeof error], [{ code, http: 400 }, "string"]);
  }
  assert.deepEqual(await listFeed(), []);
});
