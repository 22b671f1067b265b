import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { FcmClient } from "./fcm-client.ts";
import { FcmService, type FcmServiceOptions } from "./fcm-service.ts";
import { createQuotaExceededError } from "./google-errors.ts";
import { SimulatedAndroid } from "./simulated-android.ts";

async function setUp(t: TestContext, options: FcmServiceOptions = {}) {
  const service = await FcmService.start(options);
  const client = new FcmClient(service);
  t.after(async () => {
    await client.close();
    await service.close();
  });
  const phone = new SimulatedAndroid(service);
  const message = { token: phone.token, android: { data: { id: "a" } } };
  return { service, client, phone, message, token: await client.fetchAccessToken() };
}

test("a message reaches the phone with the name in the response", async (t) => {
  const { service, client, phone, message, token } = await setUp(t, { projectId: "tocsin-demo" });
  assert.match(phone.token, /^[c-f][\w-]{21}:APA91b[\w-]{134}$/u);
  assert.equal(phone.token.split(":")[0], phone.fid);
  const { status, text } = await client.send(token, { message });
  assert.equal(status, 200);
  const { name } = JSON.parse(text);
  assert.match(name, /^projects\/tocsin-demo\/messages\/0:\d+%[\da-f]{16}$/u);
  assert.equal((await phone.next()).name, name);
  assert.equal((await service.waitForRequests(1))[0]?.verdict.kind, "accepted");
});

test("a dry run is validated and delivers nothing", async (t) => {
  const { client, phone, message, token } = await setUp(t);
  const { text } = await client.send(token, { message, validate_only: true });
  assert.match(text, /\/fake_message_id"/u);
  assert.equal((await client.send(token, { message: {}, validate_only: true })).status, 400);
  assert.deepEqual(phone.deliveries, []);
});

test("the app shows a repeated message once", async (t) => {
  const { client, phone, message, token } = await setUp(t);
  await client.send(token, { message });
  await client.send(token, { message });
  assert.deepEqual([phone.deliveries.length, phone.messages.length], [2, 1]);
});

test("a token works until it expires, and only for its scopes", async (t) => {
  const clock = { aheadMs: 0 };
  const { client, message, token } = await setUp(t, { now: () => Date.now() + clock.aheadMs });
  const wrongScopeToken = await client.fetchAccessToken({
    scope: "https://www.googleapis.com/auth/datastore",
  });
  const cases: readonly (readonly [string, number, RegExp])[] = [
    ["", 401, /CREDENTIALS_MISSING/u],
    ["ya29.made-up", 401, /ACCESS_TOKEN_TYPE_UNSUPPORTED/u],
    [wrongScopeToken, 403, /ACCESS_TOKEN_SCOPE_INSUFFICIENT/u],
    [token, 200, /name/u],
  ];
  for (const [credentials, status, body] of cases) {
    const response = await client.send(credentials, { message });
    assert.equal(response.status, status);
    assert.match(response.text, body);
  }
  clock.aheadMs = 3_600_000;
  const expired = await client.send(token, { message });
  assert.equal(expired.status, 401);
  assert.match(expired.text, /"UNAUTHENTICATED"[^]*ACCESS_TOKEN_EXPIRED/u);
  assert.match(String(expired.headers["www-authenticate"]), /invalid_token/u);
});

test("unknown projects, other projects and unregistered devices get different errors", async (t) => {
  const { service, client, phone, message, token } = await setUp(t);
  const unknownProjectResponse = await client.send(token, { message }, "nowhere");
  assert.deepEqual(
    [unknownProjectResponse.status, JSON.parse(unknownProjectResponse.text).error.details],
    [404, undefined],
  );
  const otherProjectPhone = new SimulatedAndroid(service, { projectId: "another" });
  const deniedResponse = await client.send(token, { message }, "another");
  assert.match(deniedResponse.text, /IAM_PERMISSION_DENIED/u);
  const mismatch = await client.send(token, { message: { token: otherProjectPhone.token } });
  assert.equal(mismatch.status, 403);
  assert.match(mismatch.text, /SENDER_ID_MISMATCH/u);
  phone.uninstall();
  for (const target of [{ token: phone.token }, { fid: phone.fid }]) {
    const unregistered = await client.send(token, { message: target });
    assert.equal(unregistered.status, 404);
    assert.match(unregistered.text, /"NOT_FOUND"[^]*"UNREGISTERED"/u);
  }
});

test("an unknown path gets Google's HTML error page", async (t) => {
  const { service, client } = await setUp(t);
  for (const path of ["/", "/v1/projects/p/messages", "/token/"]) {
    const { status, headers } = await client.post(`${service.origin}${path}`, {}, "");
    assert.equal(status, 404);
    assert.match(String(headers["content-type"]), /^text\/html/u);
  }
});

test("a phone's script takes precedence over the service's, and both over the verdict", async (t) => {
  const { service, client, phone, message, token } = await setUp(t);
  service.script({ kind: "answer", status: 500 });
  phone.script({ kind: "answer", ...createQuotaExceededError("device", "120") });
  const limited = await client.send(token, { message });
  assert.deepEqual([limited.status, limited.headers["retry-after"]], [429, "120"]);
  assert.equal(
    JSON.parse(limited.text).error.details[0]["@type"],
    "type.googleapis.com/google.rpc.QuotaFailure",
  );
  assert.equal((await client.send(token, { message })).status, 500);
  assert.equal(phone.deliveries.length, 0);
  assert.equal((await client.send(token, { message })).status, 200);
  assert.deepEqual(
    phone.requests.map(({ verdict }) => verdict.kind),
    ["accepted", "accepted", "accepted"],
  );
});
