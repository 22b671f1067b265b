import assert from "node:assert/strict";
import test from "node:test";
import { requestJson } from "../../../../test/contract/http-requests.ts";
import { APP } from "../../../../test/support/memory-apps.ts";
import { API_KEY, basic, startNtfyServer } from "../../../../test/support/ntfy-subscriber.ts";

const TOKEN_PATH = "/v1/account/token";

test("a monitor needs no credential", async (t) => {
  const { url } = await startNtfyServer(t);
  const { status, text } = await requestJson(url, { path: "/v1/health" });
  assert.deepEqual([status, JSON.parse(text)], [200, { healthy: true }]);
});

test("the account of an app has all ten numbers as whole numbers", async (t) => {
  const { url } = await startNtfyServer(t);
  const { status, text } = await requestJson(url, { path: "/v1/account", headers: basic() });
  assert.equal(status, 200);
  const { username, role, stats, ...rest } = JSON.parse(text);
  assert.deepEqual([username, role, stats.messages, rest], ["ann@example.org", "user", 3, {}]);
  const names = ["messages", "emails", "calls", "reservations", "attachment_total_size"];
  assert.deepEqual(
    Object.keys(stats).toSorted(),
    names.flatMap((name) => [name, `${name}_remaining`]).toSorted(),
  );
  for (const value of Object.values(stats)) assert.ok(Number.isInteger(value));
});

test("the account and its tokens are refused without an app password with 401, and for an API key with 403", async (t) => {
  const { apps, url } = await startNtfyServer(t);
  for (const [method, path] of [
    ["GET", "/v1/account"],
    ["POST", TOKEN_PATH],
    ["DELETE", TOKEN_PATH],
  ] as const) {
    for (const [headers, status, code] of [
      [{}, 401, 40101],
      [basic("wrong"), 401, 40101],
      [basic(API_KEY), 403, 40301],
    ] as const) {
      const response = await requestJson(url, { method, path, headers });
      assert.deepEqual([response.status, JSON.parse(response.text).code], [status, code], path);
    }
  }
  assert.equal(apps.secrets.size, 1);
});

test("a token is a second password of the same app, until it is deleted", async (t) => {
  const { context, apps, url } = await startNtfyServer(t);
  const body = { label: "Home Assistant", expires: 0 };
  const post = { method: "POST", path: TOKEN_PATH, headers: basic(), body };
  const { token, ...rest } = JSON.parse((await requestJson(url, post)).text);
  assert.match(token, /^tk_[a-z0-9]{29}$/);
  assert.deepEqual(rest, {
    label: "Home Assistant",
    last_access: Math.floor(context.now() / 1_000),
    last_origin: "127.0.0.1",
  });
  const bearer = { authorization: `Bearer ${token}` };
  const auth = async () => (await requestJson(url, { path: "/a/auth", headers: bearer })).status;
  assert.equal(await auth(), 200);
  const remove = async (headers: Readonly<Record<string, string>>) => {
    const response = await requestJson(url, { method: "DELETE", path: TOKEN_PATH, headers });
    return [response.status, JSON.parse(response.text)];
  };
  const unknown = await remove({ ...basic(), "x-token": "tk_unknown" });
  assert.equal(unknown[1].code, 40023);
  assert.deepEqual(await remove({ ...basic(), "x-token": token }), [200, { success: true }]);
  assert.equal(await auth(), 401);
  assert.deepEqual([...apps.secrets.values()], [APP.credentialId]);
  // Without a name, a request ends its own credential.
  assert.deepEqual(await remove(basic()), [200, { success: true }]);
  assert.equal(apps.secrets.size, 0);
});
