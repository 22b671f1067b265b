import assert from "node:assert/strict";
import test from "node:test";
import { startApp, signUp } from "../support/app.ts";

const JSON_TYPE = { "content-type": "application/json" };
const DEVICES = "/api/app/v1/devices";

interface RefusedRequest {
  readonly path: string;
  readonly init?: Omit<RequestInit, "headers">;
  /** Headers in addition to a valid access token, or instead of it. */
  readonly headers?: Record<string, string>;
  readonly status: number;
  /** The response's `error`, without the request id. */
  readonly error: { readonly code: string; readonly field?: string };
}

const REFUSED_REQUESTS: readonly RefusedRequest[] = [
  {
    path: DEVICES,
    init: { method: "POST", body: "{" },
    headers: JSON_TYPE,
    status: 400,
    error: { code: "invalid_json" },
  },
  {
    path: DEVICES,
    init: { method: "POST", body: "hello" },
    headers: { "content-type": "text/plain" },
    status: 400,
    error: { code: "unsupported_content_type" },
  },
  {
    path: DEVICES,
    init: { method: "POST", body: '{"name":7}' },
    headers: JSON_TYPE,
    status: 400,
    error: { code: "invalid_field", field: "platform" },
  },
  { path: `${DEVICES}?limit=x`, status: 400, error: { code: "invalid_field", field: "limit" } },
  {
    path: DEVICES,
    headers: { authorization: "Bearer x" },
    status: 401,
    error: { code: "unauthenticated" },
  },
  { path: "/api/app/v1/notifications/none", status: 404, error: { code: "not_found" } },
  { path: "/api/app/v1/nothing", status: 404, error: { code: "not_found" } },
  {
    path: "/api/app/v1/me",
    init: { method: "DELETE" },
    status: 405,
    error: { code: "method_not_allowed" },
  },
];

test("every error has the same shape with its status and request id", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { token } = await ann.client.accessTokens.create({ label: "raw" });
  for (const { path, init, headers, status, error } of REFUSED_REQUESTS) {
    const response = await fetch(`${app.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    const requestId = response.headers.get("x-request-id");
    assert.equal(response.status, status, path);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(response.headers.get("cache-control"), "no-store");
    const body = Object(await response.json());
    const { message } = body;
    assert.equal(typeof message, "string");
    assert.deepEqual(body, { success: false, message, error: { ...error, requestId } });
  }
});
