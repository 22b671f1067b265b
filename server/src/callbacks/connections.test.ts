import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { startConnections, startReceiver } from "../../test/support/callback-fixture.ts";
import { isDeniedAddress } from "#providers/denied-address.ts";
import { generateCallbackSecret, signCallback } from "./sign.ts";
import { checkCallbackUrl, type CallbackOutcome } from "./callback.ts";
import type { CallbackConnectionDeps } from "./connections.ts";

const LOOPBACK = "127.0.0.1";
const NAME = "hooks.example.org";
/** The package that verifies the calls compares their time with this machine's clock. */
const now = () => performance.timeOrigin + performance.now();
const SIGNAL = new AbortController().signal;

/** Treats loopback as public, because a test can connect to no other address on this machine. */
function isDeniedExceptLoopback(address: string): boolean {
  return address !== LOOPBACK && isDeniedAddress(address);
}

/** Returns a receiver with a public name, and a function that calls it once. */
async function setUp(t: TestContext, deps: Partial<CallbackConnectionDeps> = {}) {
  const receiver = await startReceiver(t, { names: [NAME] });
  const { send } = startConnections(t, {
    allowOrigins: [],
    ca: receiver.ca,
    resolve: async () => [LOOPBACK],
    isDenied: isDeniedExceptLoopback,
    ...deps,
  });
  const secret = generateCallbackSecret();
  receiver.secrets.push(secret);
  const call = (url = `${receiver.origin}/hook?token=canary`): Promise<CallbackOutcome> => {
    const body = "{}";
    const headers = signCallback({ id: "1", body, sentAt: now() }, [secret]);
    return send({ url, headers, body }, SIGNAL);
  };
  return { receiver, call };
}

test("a callback is delivered if a public https receiver answers 2xx", async (t) => {
  const { receiver, call } = await setUp(t);
  for (const status of [200, 202, 204, 299]) {
    receiver.answerWithStatus(status);
    assert.deepEqual(await call(), { kind: "delivered" });
  }
  assert.ok(receiver.calls.every(({ acceptedSecrets }) => acceptedSecrets.length === 1));
});

test("answers other than 2xx and 410 are retried, 410 is not, and no redirect is followed", async (t) => {
  const { receiver, call } = await setUp(t);
  const elsewhere = await startReceiver(t);
  for (const [status, outcome] of [
    [301, { kind: "retry", reason: "answered 301: redirects are not followed" }],
    [307, { kind: "retry", reason: "answered 307: redirects are not followed" }],
    [400, { kind: "retry", reason: "answered 400" }],
    [404, { kind: "retry", reason: "answered 404" }],
    [410, { kind: "refused", reason: "answered 410: wants no further calls" }],
    [429, { kind: "retry", reason: "answered 429" }],
    [503, { kind: "retry", reason: "answered 503" }],
  ] as const) {
    receiver.answerWith((response) => {
      response.writeHead(status, { location: `${elsewhere.origin}/` }).end();
    });
    assert.deepEqual(await call(), outcome);
  }
  assert.equal(elsewhere.calls.length, 0);
});

test("a receiver in the server's own network is not called, unless its origin is allowed", async (t) => {
  const { receiver, call } = await setUp(t, { isDenied: isDeniedAddress });
  const reason = "the host has an address that is not public";
  assert.deepEqual(await call(), { kind: "retry", reason });
  const notAllowed = { kind: "retry", reason: "this server does not allow the URL" };
  for (const url of ["http://127.0.0.1:1/", "https://10.0.0.1/", "https://[::1]/", "http://a.org/"])
    assert.deepEqual(await call(url), notAllowed);
  assert.equal(receiver.calls.length, 0);
  const inside = await startReceiver(t);
  const { send } = startConnections(t, { allowOrigins: [inside.origin] });
  inside.answerWithStatus(200);
  const request = { url: `${inside.origin}/x`, headers: {}, body: "{}" };
  assert.deepEqual(await send(request, SIGNAL), { kind: "delivered" });
});

test("a name that changes to a private address after the first callback is refused", async (t) => {
  const addresses = [[LOOPBACK], ["10.0.0.1"]];
  const lookups: string[] = [];
  const { receiver, call } = await setUp(t, {
    resolve: async (hostname) => {
      lookups.push(hostname);
      return addresses.shift() ?? [];
    },
  });
  receiver.answerWith((response) => response.writeHead(200, { connection: "close" }).end());
  assert.deepEqual(await call(), { kind: "delivered" });
  // The connection goes to the address that was checked: nothing looks the name up again.
  assert.deepEqual(lookups, [NAME]);
  const reason = "the host has an address that is not public";
  assert.deepEqual(await call(), { kind: "retry", reason });
  assert.equal(receiver.calls.length, 1);
});

test("a call is retried if the receiver does not answer in time or hangs up", async (t) => {
  const { receiver, call } = await setUp(t, { requestTimeoutMs: 200 });
  receiver.answerWith(() => {});
  assert.deepEqual(await call(), { kind: "retry", reason: "no answer in time" });
  receiver.answerWith((response) => response.destroy());
  const outcome = await call();
  assert.ok(outcome.kind === "retry");
  assert.match(outcome.reason, /^the connection broke before the answer/);
});

test("the sender stops reading an answer that never ends", async (t) => {
  const { receiver, call } = await setUp(t);
  const closed = Promise.withResolvers<number>();
  receiver.answerWith((response) => {
    response.writeHead(200);
    let written = 0;
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(65_536))) written += 65_536;
    };
    response.on("drain", write);
    response.on("close", () => closed.resolve(written));
    write();
  });
  assert.deepEqual(await call(), { kind: "delivered" });
  // The buffers of the two sockets hold a few megabytes.
  assert.ok((await closed.promise) < 64 * 1_048_576);
});

test("a stop during a callback does not count as a failure of the receiver", async (t) => {
  const receiver = await startReceiver(t);
  const { send } = startConnections(t, { allowOrigins: [receiver.origin] });
  receiver.answerWith(() => {});
  const stop = new AbortController();
  const outcome = send({ url: receiver.origin, headers: {}, body: "{}" }, stop.signal);
  await receiver.waitForCalls(1);
  stop.abort();
  assert.deepEqual(await outcome, { kind: "interrupted" });
});

test("the reasons for a refused connection or a certificate for another name do not contain the URL", async (t) => {
  const receiver = await startReceiver(t);
  await receiver.close();
  const { send } = startConnections(t, { allowOrigins: [receiver.origin] });
  const request = { url: `${receiver.origin}/?token=canary`, headers: {}, body: "{}" };
  const reason = "no connection (ECONNREFUSED)";
  assert.deepEqual(await send(request, SIGNAL), { kind: "retry", reason });
  const { receiver: other, call } = await setUp(t);
  const { port } = new URL(other.origin);
  assert.deepEqual(await call(`https://api.example.org:${port}/`), {
    kind: "retry",
    reason: "no connection (ERR_TLS_CERT_ALTNAME_INVALID)",
  });
});

test("a callback URL must be https with a public name, or have an allowed origin", () => {
  const allowOrigins = ["http://10.0.0.5:8089"];
  const check = (url: string) => checkCallbackUrl({ allowOrigins }, url);
  for (const url of [
    "https://hooks.example.org",
    "https://hooks.example.org:8443/a?token=b",
    "http://10.0.0.5:8089/a",
    `https://example.org/${"a".repeat(2_028)}`,
  ]) {
    assert.deepEqual(check(url), { ok: true }, url);
  }
  for (const [url, message] of [
    ["hooks.example.org", /absolute https URL/],
    ["https://example.org/\\a", /absolute https URL/],
    ["https://exämple.org/", /absolute https URL/],
    ["http://hooks.example.org/", /an https URL/],
    ["http://10.0.0.5:8090/", /an https URL/],
    ["ftp://example.org/", /an https URL/],
    ["https://ann:secret@example.org/", /user name/],
    ["https://example.org/#a", /fragment/],
    ["https://localhost/", /public host name/],
    ["https://router.lan/", /TOCSIN_CALLBACK_ALLOW_ORIGINS/],
    ["https://2130706433/", /public host name/],
    ["https://[::1]/", /public host name/],
    [`https://example.org/${"a".repeat(2_029)}`, /at most 2048 characters/],
  ] as const) {
    const verdict = check(url);
    assert.ok(!verdict.ok, url);
    assert.match(verdict.message, message);
  }
});
