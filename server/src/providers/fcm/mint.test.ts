import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { jwtVerify } from "jose";
import { startPushPeer } from "../../../test/support/push-peer.ts";
import { createAgent } from "./agent.ts";
import { describeClockError, interpretTokenResponse, mintAccessToken } from "./mint.ts";
import type { PushResponseHeaders } from "../post.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const HOST = "oauth2.googleapis.com";

function interpret(response: { status: number; body?: string; headers?: PushResponseHeaders }) {
  const { status, body = "", headers = {} } = response;
  return interpretTokenResponse({ status, body, headers }, { host: HOST, now: NOW });
}

function interpretFailure(response: Parameters<typeof interpret>[0]) {
  const result = interpret(response);
  assert.ok(result.kind === "failed");
  return result;
}

function createDateHeader(offsetMs: number): PushResponseHeaders {
  return { date: new Date(NOW + offsetMs).toUTCString() };
}

test("a token request has a signed assertion for its endpoint", async (t) => {
  const keyPair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const credentials = {
    projectId: "my-project-1",
    clientEmail: "sender@my-project-1.iam.gserviceaccount.com",
    privateKeyId: "key-1",
    privateKey: keyPair.privateKey,
  };
  const { origin, requests } = await startPushPeer(t, (response) => {
    response.end(
      JSON.stringify({ access_token: "ya29.x", expires_in: 3599, token_type: "Bearer" }),
    );
  });
  const dispatcher = createAgent(undefined);
  t.after(async () => dispatcher.destroy());
  const tokenUrl = `${origin}/token`;
  const result = await mintAccessToken(
    { credentials, tokenUrl, dispatcher, now: () => NOW },
    AbortSignal.timeout(4_000),
  );
  assert.ok(result.kind === "minted");
  assert.equal(result.token, "ya29.x");
  assert.equal(result.ttlMs, 3_599_000);
  const [received] = requests;
  assert.equal(received?.path, "/token");
  assert.equal(received.headers["content-type"], "application/x-www-form-urlencoded");
  const form = new URLSearchParams(received.body.toString());
  assert.deepEqual([...form.keys()], ["grant_type", "assertion"]);
  assert.equal(form.get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  const assertion = form.get("assertion") ?? "";
  const verified = await jwtVerify(assertion, keyPair.publicKey, { currentDate: new Date(NOW) });
  assert.deepEqual(verified.protectedHeader, { alg: "RS256", typ: "JWT", kid: "key-1" });
  assert.deepEqual(verified.payload, {
    iss: credentials.clientEmail,
    scope: "https://www.googleapis.com/auth/firebase.messaging",
    aud: tokenUrl,
    iat: NOW / 1000,
    exp: NOW / 1000 + 3_600,
  });
});

test("the lifetime of a token is limited to one hour", () => {
  const interpretGrant = (expires_in: unknown) =>
    interpret({ status: 200, body: JSON.stringify({ access_token: "ya29.x", expires_in }) });
  const shortGrant = interpretGrant(60);
  assert.ok(shortGrant.kind === "minted" && shortGrant.ttlMs === 60_000);
  const longGrant = interpretGrant(86_400);
  assert.ok(longGrant.kind === "minted" && longGrant.ttlMs === 3_600_000);
});

test("a 200 response without a usable token is retried", () => {
  const bodies = [
    "",
    "<html>",
    "[]",
    "{}",
    '{"access_token":"x"}',
    '{"expires_in":3599}',
    '{"access_token":"","expires_in":3599}',
    '{"access_token":"a\\nb","expires_in":3599}',
    '{"access_token":"x","expires_in":0}',
    '{"access_token":"x","expires_in":"3599"}',
    '{"access_token":7,"expires_in":3599}',
  ];
  for (const body of bodies) {
    const { outcome } = interpretFailure({ status: 200, body });
    const reason = { code: "transient", detail: `${HOST} answered 200` };
    assert.deepEqual(outcome, { kind: "retry", reason, afterMs: null, isCounted: false }, body);
  }
});

test("an error of the service or a proxy is retried without counting", () => {
  const rows = [
    { status: 500, body: '{"error":"internal_failure"}' },
    { status: 503, headers: { "retry-after": "30" } },
    { status: 429, headers: { "retry-after": "30" } },
    { status: 408 },
    { status: 302 },
    { status: 400, body: " <!DOCTYPE html>" },
    { status: 403, body: "<html>" },
  ];
  for (const response of rows) {
    const { outcome } = interpretFailure(response);
    assert.ok(outcome.kind === "retry");
    assert.equal(outcome.reason.code, "transient");
    assert.equal(outcome.isCounted, false);
    assert.equal(outcome.afterMs, response.headers === undefined ? null : 30_000);
  }
});

test("a refusal quotes Google's error code and no other text", () => {
  const describeDetail = (status: number, body: string) => {
    const { outcome } = interpretFailure({ status, body });
    assert.equal(outcome.kind, "refused");
    assert.equal(outcome.reason.code, "provider_misconfigured");
    return outcome.reason.detail;
  };
  const description = '"error_description":"secret words"';
  assert.equal(
    describeDetail(401, `{"error":"invalid_client",${description}}`),
    `${HOST} answered 401 invalid_client`,
  );
  assert.equal(
    describeDetail(400, `{"error":"unauthorized_client",${description}}`),
    `${HOST} answered 400 unauthorized_client`,
  );
  assert.equal(describeDetail(400, `{"error":"secret",${description}}`), `${HOST} answered 400`);
  assert.equal(describeDetail(404, '{"error":{"code":404}}'), `${HOST} answered 404`);
  assert.equal(describeDetail(400, ""), `${HOST} answered 400`);
  assert.equal(
    describeDetail(400, `{"error":"invalid_grant",${description}}`),
    `${HOST} answered 400 invalid_grant: the key was deleted, or this server's clock is wrong`,
  );
});

test("invalid_grant names a clock that is off", () => {
  const body = '{"error":"invalid_grant"}';
  const describeDetail = (offsetMs: number) =>
    interpretFailure({ status: 400, body, headers: createDateHeader(offsetMs) }).outcome.reason
      .detail ?? "";
  assert.match(describeDetail(-10 * 60_000), /: this server's clock is 10 minutes ahead$/u);
  assert.match(describeDetail(60_000), /: this server's clock is 1 minute behind$/u);
  assert.match(describeDetail(30_000), /: the key was deleted, or /u);
});

test("a response reports the clock error if it has a valid date", () => {
  assert.equal(interpret({ status: 503, headers: createDateHeader(-90_000) }).clockErrorMs, 90_000);
  assert.equal(interpret({ status: 503, headers: { date: "nonsense" } }).clockErrorMs, null);
});

test("a clock error is described in minutes", () => {
  assert.equal(describeClockError(-3 * 60_000), "3 minutes behind");
});
