import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { startApp, signUp } from "../support/app.ts";

type Init = Omit<RequestInit, "headers"> & { readonly headers?: Record<string, string> };

async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { token } = await ann.client.accessTokens.create({ label: "raw" });
  const request = async (path: string, init: Init = {}) => {
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    const response = await fetch(`${app.url}${path}`, { ...init, headers });
    // The assertions below check this shape.
    const body = (await response.json()) as { error: Record<string, unknown> };
    return { response, body };
  };
  return { app, request };
}

const JSON_TYPE = { "content-type": "application/json" };

test("every error has the same shape with its status and request id", async (t) => {
  const { request } = await setUp(t);
  const devices = "/api/app/v1/devices";
  const cases: readonly (readonly [string, Init, number, Record<string, unknown>])[] = [
    [devices, { method: "POST", headers: JSON_TYPE, body: "{" }, 400, { code: "invalid_json" }],
    [
      devices,
      { method: "POST", headers: { "content-type": "text/plain" }, body: "hello" },
      400,
      { code: "unsupported_content_type" },
    ],
    [
      devices,
      { method: "POST", headers: JSON_TYPE, body: '{"name":7}' },
      400,
      { code: "invalid_field", field: "platform" },
    ],
    [`${devices}?limit=x`, {}, 400, { code: "invalid_field", field: "limit" }],
    [devices, { headers: { authorization: "Bearer x" } }, 401, { code: "unauthenticated" }],
    ["/api/app/v1/notifications/none", {}, 404, { code: "not_found" }],
    ["/api/app/v1/nothing", {}, 404, { code: "not_found" }],
    ["/api/app/v1/me", { method: "DELETE" }, 405, { code: "method_not_allowed" }],
  ];
  for (const [path, init, status, error] of cases) {
    const { response, body } = await request(path, init);
    const requestId = response.headers.get("x-request-id");
    assert.equal(response.status, status, path);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(response.headers.get("cache-control"), "no-store");
    const { message } = body as { message?: unknown };
    assert.equal(typeof message, "string");
    assert.deepEqual(body, { success: false, message, error: { ...error, requestId } });
  }
});

test("a cross-site request cannot use the session", async (t) => {
  const { app } = await setUp(t);
  const signIn = await fetch(`${app.url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify({ email: "ann@example.org", password: "password of Ann" }),
  });
  const cookie = signIn.headers
    .getSetCookie()
    .map((line) => line.split(";")[0] ?? "")
    .join("; ");
  const create = (headers: Record<string, string>) =>
    fetch(`${app.url}/api/app/v1/keys`, {
      method: "POST",
      headers: { ...JSON_TYPE, cookie, ...headers },
      body: '{"kind":"account"}',
    });
  const crossSite = await create({
    origin: "https://evil.example",
    "sec-fetch-site": "cross-site",
  });
  assert.equal(crossSite.status, 403);
  assert.equal((await create({ origin: app.url, "sec-fetch-site": "same-origin" })).status, 201);
});

test("every list has the same shape and query parameters", async (t) => {
  const { request } = await setUp(t);
  const lists = [
    "access-tokens",
    "keys",
    "devices",
    "groups",
    "teams",
    "invitations",
    "feed",
    "notifications",
  ];
  for (const list of lists) {
    const { response, body } = await request(`/api/app/v1/${list}`);
    assert.equal(response.status, 200, list);
    assert.deepEqual(Object.keys(body), ["items", "nextCursor"], list);
    for (const query of [
      "limit=0",
      "limit=201",
      "limit=",
      "cursor=",
      "cursor=%00",
      "limit=1&limit=2",
    ]) {
      const refusal = await request(`/api/app/v1/${list}?${query}`);
      assert.equal(refusal.response.status, 400, `${list}?${query}`);
      assert.equal(refusal.body.error["code"], "invalid_field");
    }
  }
});
