import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startPushPeer, subscribeBrowser } from "../../../test/support/push-peer.ts";
import type { WebPushAddress } from "../provider.ts";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { createWebPushProvider, type WebPushDeps } from "./webpush.ts";
import { sendWithAdmission } from "../../../test/support/send-with-admission.ts";
import { createPushMessage } from "../../../test/support/push-message.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const HOUR_MS = 60 * 60 * 1000;
const neverAborted = new AbortController().signal;

const message = createPushMessage({
  title: "Private title",
  body: "Private body",
  createdAt: NOW,
  expiresAt: NOW + HOUR_MS,
});

function startProvider(t: TestContext, origin: string, overrides: Partial<WebPushDeps> = {}) {
  const provider = createWebPushProvider({
    vapid: generateVapidKeys(),
    findContact: async () => null,
    baseUrl: "https://tocsin.example.com",
    policy: { mode: "vendors", extraHosts: [], allowOrigins: [origin] },
    now: () => NOW,
    elapsed: () => 0,
    ...overrides,
  });
  t.after(async () => provider.close());
  return provider;
}

function createAddress(origin: string): WebPushAddress {
  const { keys } = subscribeBrowser();
  return { provider: "webpush", endpoint: `${origin}/push/secret-endpoint`, keys };
}

async function resolvePublicAndPrivate(): Promise<readonly string[]> {
  return ["1.1.1.1", "127.0.0.1"];
}

async function rejectLookup(): Promise<never> {
  throw new Error("ENOTFOUND");
}

test("a redirect is not followed and makes the endpoint suspect", async (t) => {
  const target = await startPushPeer(t, (response) => response.end("secret"));
  for (const status of [301, 302, 303, 307, 308]) {
    const { origin, requests } = await startPushPeer(t, (response) => {
      response.writeHead(status, { location: `${target.origin}/admin` }).end("secret");
    });
    const outcome = await startProvider(t, origin).send(
      message,
      createAddress(origin),
      neverAborted,
    );
    const detail = `${new URL(origin).host} answered ${status}`;
    const reason = { code: "suspect", detail };
    assert.deepEqual(outcome, { kind: "retry", reason, afterMs: HOUR_MS, isCounted: true });
    assert.equal(requests.length, 1);
  }
  assert.equal(target.requests.length, 0);
});

test("an endpoint outside the policy is rejected without a request", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.end());
  const provider = startProvider(t, "http://127.0.0.1:9");
  const outcome = await provider.send(message, createAddress(origin), neverAborted);
  const reason = { code: "endpoint_not_allowed", detail: new URL(origin).host };
  assert.deepEqual(outcome, { kind: "rejected", reason });
  assert.equal(requests.length, 0);
});

test("a host with one private address is rejected without a request", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.end());
  const { port } = new URL(origin);
  const policy = { mode: "open", extraHosts: [], allowOrigins: [origin] } as const;
  const provider = startProvider(t, origin, { policy, resolve: resolvePublicAndPrivate });
  const address = createAddress(`https://push.example.org:${port}`);
  const outcome = await provider.send(message, address, neverAborted);
  const reason = { code: "endpoint_not_allowed", detail: `push.example.org:${port}` };
  assert.deepEqual(outcome, { kind: "rejected", reason });
  assert.equal(requests.length, 0);
});

test("a host that cannot be resolved is unreachable, and the attempt is not counted", async (t) => {
  const policy = { mode: "open", extraHosts: [], allowOrigins: [] } as const;
  const provider = startProvider(t, "", { policy, resolve: rejectLookup });
  const outcome = await provider.send(
    message,
    createAddress("https://push.example.org"),
    neverAborted,
  );
  const reason = { code: "unreachable", detail: "push.example.org" };
  assert.deepEqual(outcome, { kind: "retry", reason, afterMs: null, isCounted: false });
});

test("a refused connection is unreachable, and a broken or silent one is ambiguous", async (t) => {
  const closedPeer = await startPushPeer(t, () => {});
  closedPeer.server.close();
  const brokenPeer = await startPushPeer(t, (response) => response.socket?.resetAndDestroy());
  const silentPeer = await startPushPeer(t, () => {});
  for (const [{ origin }, code, isCounted] of [
    [closedPeer, "unreachable", false],
    [brokenPeer, "ambiguous", true],
    [silentPeer, "ambiguous", true],
  ] as const) {
    const provider = startProvider(t, origin, { requestTimeoutMs: 1_000 });
    const outcome = await provider.send(message, createAddress(origin), neverAborted);
    const reason = { code, detail: new URL(origin).host };
    assert.deepEqual(outcome, { kind: "retry", reason, afterMs: null, isCounted });
  }
});

test("an attempt that a slow host never admits ends as unsent", async (t) => {
  const { origin, requests } = await startPushPeer(t, () => {});
  const provider = startProvider(t, origin, { requestTimeoutMs: 1_000 });
  const address = createAddress(origin);
  const sends = Array.from({ length: 25 }, async () =>
    sendWithAdmission(provider, { message, address, signal: neverAborted }),
  );
  const outcomes = await Promise.all(sends);
  const unsentOutcomes = outcomes.filter(
    (outcome) => outcome.kind === "retry" && !outcome.isCounted,
  );
  assert.equal(requests.length, 20);
  assert.equal(unsentOutcomes.length, 5);
});

test("an aborted attempt is a retry, counted only if a request was sent", async (t) => {
  const controller = new AbortController();
  const { origin, requests } = await startPushPeer(t, () => controller.abort());
  const provider = startProvider(t, origin);
  const reason = { code: "ambiguous", detail: new URL(origin).host };
  const retry = { kind: "retry", reason, afterMs: null } as const;
  const sentOutcome = await provider.send(message, createAddress(origin), controller.signal);
  assert.deepEqual(sentOutcome, { ...retry, isCounted: true });
  const abortedAttempt = { message, address: createAddress(origin), signal: controller.signal };
  const unsentOutcome = await sendWithAdmission(provider, abortedAttempt);
  assert.deepEqual(unsentOutcome, { ...retry, isCounted: false, isInconclusive: true });
  assert.equal(requests.length, 1);
});

test("close ends running and later attempts as retries", async (t) => {
  const { origin } = await startPushPeer(t, () => {
    void provider.close();
  });
  const provider = startProvider(t, origin);
  const runningOutcome = await provider.send(message, createAddress(origin), neverAborted);
  assert.ok(runningOutcome.kind === "retry" && runningOutcome.isCounted);
  const lateOutcome = await provider.send(message, createAddress(origin), neverAborted);
  assert.ok(lateOutcome.kind === "retry" && !lateOutcome.isCounted);
});

test("close also ends attempts that wait to be admitted", async (t) => {
  const { origin, requests } = await startPushPeer(t, () => {
    if (requests.length === 20) void provider.close();
  });
  const provider = startProvider(t, origin);
  const address = createAddress(origin);
  const sends = Array.from({ length: 30 }, async () =>
    sendWithAdmission(provider, { message, address, signal: neverAborted }),
  );
  const outcomes = await Promise.all(sends);
  const countedOutcomes = outcomes.filter(
    (outcome) => outcome.kind === "retry" && outcome.isCounted,
  );
  const uncountedOutcomes = outcomes.filter(
    (outcome) => outcome.kind === "retry" && !outcome.isCounted,
  );
  assert.deepEqual([countedOutcomes.length, uncountedOutcomes.length], [20, 10]);
  assert.equal(requests.length, 20);
});

test("an outcome contains no endpoint, key, message text or response text", async (t) => {
  for (const status of [200, 307, 400, 403, 404, 410, 413, 418, 429, 500]) {
    const { origin } = await startPushPeer(t, (response) => {
      response.writeHead(status, { location: "/theirs" }).end('{"reason":"theirs"}');
    });
    const address = createAddress(origin);
    const outcome = await startProvider(t, origin).send(message, address, neverAborted);
    const text = JSON.stringify(outcome);
    const { p256dh, auth } = address.keys;
    // Every JWT begins with "eyJ".
    for (const secret of ["secret-endpoint", p256dh, auth, "Private", "theirs", "eyJ"]) {
      assert.ok(!text.includes(secret), `${status}: ${text}`);
    }
  }
});

test("eleven throttled responses limit the host to four concurrent requests", async (t) => {
  const concurrent = { current: 0, max: 0 };
  let isThrottling = true;
  const { origin } = await startPushPeer(t, (response) => {
    concurrent.current += 1;
    concurrent.max = Math.max(concurrent.max, concurrent.current);
    setImmediate(() => {
      concurrent.current -= 1;
      response.writeHead(isThrottling ? 429 : 201, { "retry-after": "2" }).end();
    });
  });
  const provider = startProvider(t, origin);
  const address = createAddress(origin);
  for (let count = 0; count < 11; count++) {
    const outcome = await provider.send(message, address, neverAborted);
    const reason = { code: "rate_limited", detail: `${new URL(origin).host} answered 429` };
    assert.deepEqual(outcome, { kind: "retry", reason, afterMs: 2_000, isCounted: true });
  }
  isThrottling = false;
  concurrent.max = 0;
  const sends = Array.from({ length: 40 }, async () =>
    sendWithAdmission(provider, { message, address, signal: neverAborted }),
  );
  for (const outcome of await Promise.all(sends)) assert.equal(outcome.kind, "accepted");
  assert.ok(concurrent.max <= 4, `${concurrent.max} at once`);
});
