import assert from "node:assert/strict";
import { test } from "node:test";
import * as google from "../../../test/doubles/fcm/google-errors.ts";
import { SimulatedAndroid } from "../../../test/doubles/fcm/simulated-android.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { listOutcomes, startFcmFixture, toAddress } from "../../../test/support/fcm-fixture.ts";
import { startPushPeer } from "../../../test/support/push-peer.ts";
import type { FcmAddress } from "../provider.ts";

/** Returns the ids that arrived at a phone, with duplicates. */
function listIds(phone: SimulatedAndroid): readonly string[] {
  return phone.deliveries.map(({ data }) => data["id"] ?? "");
}

test("a message reaches the phone by token and by installation id", async (t) => {
  const { service, send } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  const tokenOutcome = await send(toAddress(phone), { id: "n-1" });
  const firstDelivery = await phone.next();
  assert.ok(tokenOutcome.kind === "accepted");
  assert.equal(
    `projects/${service.projectId}/messages/${tokenOutcome.receipt}`,
    firstDelivery.name,
  );
  assert.equal(firstDelivery.sentTo, "token");
  assert.equal(firstDelivery.priority, "HIGH");
  assert.ok(firstDelivery.ttlSeconds === 3_600 || firstDelivery.ttlSeconds === 3_599);
  assert.equal(firstDelivery.collapseKey, null);
  assert.equal(firstDelivery.notification, null);
  assert.equal(firstDelivery.data["title"], "Disk full");
  assert.equal(firstDelivery.data["sound"], "arcade");
  const fidOutcome = await send({ provider: "fcm", kind: "fid", token: phone.fid }, { id: "n-2" });
  assert.equal(fidOutcome.kind, "accepted");
  assert.equal((await phone.next()).sentTo, "fid");
});

test("a burst on a cold start uses one access token and at most 100 streams per connection", async (t) => {
  for (const [announcesLimit, count] of [
    [true, 200],
    [false, 1_000],
  ] as const) {
    const { service, sendMany } = await startFcmFixture(t, { service: { announcesLimit } });
    const phone = new SimulatedAndroid(service);
    assert.deepEqual(listOutcomes(await sendMany(phone, count)), ["accepted"]);
    assert.equal(service.issuedTokenCount, 1);
    assert.equal(listIds(phone).length, count);
    assert.deepEqual(service.frontEnd.violations, []);
    const usedConnections = service.frontEnd.connections.filter(
      ({ requestCount }) => requestCount > 1,
    );
    assert.ok(usedConnections.length <= 2);
    for (const { concurrentRequestsMax } of usedConnections)
      assert.ok(concurrentRequestsMax <= 100);
  }
});

test("64 messages that a GOAWAY interrupts arrive once each", async (t) => {
  const { service, sendMany } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  await sendMany(phone, 1);
  const requestsArrived = phone.waitForRequests(1 + 64);
  const unanswered = Array.from({ length: 63 }, () => ({ kind: "hang" }) as const);
  phone.script({ kind: "goaway", isProcessed: false, after: requestsArrived }, ...unanswered);
  assert.deepEqual(listOutcomes(await sendMany(phone, 64)), ["accepted"]);
  const ids = listIds(phone).slice(1);
  assert.equal(ids.length, 64);
  assert.equal(new Set(ids).size, 64);
});

test("a phone without the app is gone as of the start of the attempt", async (t) => {
  const { now, service, send } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  phone.uninstall();
  const startedAt = now();
  const outcome = await send(toAddress(phone));
  assert.ok(outcome.kind === "gone");
  assert.equal(outcome.reason.code, "device_gone");
  assert.ok(outcome.goneAt >= startedAt && outcome.goneAt <= now());
});

test("a malformed token is gone only after FCM has accepted a message", async (t) => {
  const { service, send } = await startFcmFixture(t);
  const malformedAddress: FcmAddress = { provider: "fcm", kind: "token", token: "no-token" };
  assert.deepEqual(listOutcomes([await send(malformedAddress)]), ["retry suspect"]);
  await send(toAddress(new SimulatedAndroid(service)));
  assert.deepEqual(listOutcomes([await send(malformedAddress)]), ["gone device_invalid"]);
});

test("a token of another project is gone only after accepted messages, and only while such tokens are few", async (t) => {
  const { service, send, sendMany } = await startFcmFixture(t);
  const foreignPhone = new SimulatedAndroid(service, { projectId: "another" });
  assert.deepEqual(listOutcomes([await send(toAddress(foreignPhone))]), [
    "refused provider_misconfigured",
  ]);
  await sendMany(new SimulatedAndroid(service), 10);
  assert.deepEqual(listOutcomes([await send(toAddress(foreignPhone))]), ["gone device_invalid"]);
  const outcomes = await Promise.all([1, 2, 3].map(async () => send(toAddress(foreignPhone))));
  assert.ok(listOutcomes(outcomes).includes("retry provider_misconfigured"));
});

test("an unknown project does not blame the phone", async (t) => {
  const { service, send } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  service.script({ kind: "answer", ...google.createUnknownProjectError() });
  assert.deepEqual(listOutcomes([await send(toAddress(phone))]), [
    "refused provider_misconfigured",
  ]);
});

test("a lost response is ambiguous and counts as an attempt", async (t) => {
  const { service, send } = await startFcmFixture(t, { deps: { requestTimeoutMs: 2_000 } });
  const phone = new SimulatedAndroid(service);
  await send(toAddress(phone));
  phone.script({ kind: "hang" }, { kind: "reset-stream", when: "before-headers" });
  for (const _ of [1, 2]) {
    const reason = { code: "ambiguous", detail: new URL(service.origin).host };
    assert.deepEqual(await send(toAddress(phone)), {
      kind: "retry",
      reason,
      afterMs: null,
      isCounted: true,
    });
  }
});

test("an attempt that is aborted before its request is ambiguous, and does not count", async (t) => {
  const { service, send } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  const outcome = await send(toAddress(phone), { signal: AbortSignal.abort() });
  assert.ok(outcome.kind === "retry" && !outcome.isCounted);
  assert.equal(outcome.reason.code, "ambiguous");
  assert.equal(phone.requests.length, 0);
});

test("an unreachable service does not count as an attempt", async (t) => {
  const { clock, service, send } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  service.frontEnd.refuseConnections();
  const outcome = await send(toAddress(phone));
  assert.ok(outcome.kind === "retry" && !outcome.isCounted);
  assert.equal(outcome.reason.code, "unreachable");
  assert.equal(outcome.reason.detail, new URL(service.origin).host);
  await service.frontEnd.acceptConnections();
  clock.offsetMs += 60_000;
  assert.equal((await send(toAddress(phone))).kind, "accepted");
});

test("a message that does not fit is rejected without a request", async (t) => {
  const { service, send } = await startFcmFixture(t);
  const link = `https://example.org/${"l".repeat(4_096)}`;
  const outcome = await send(toAddress(new SimulatedAndroid(service)), { link });
  assert.deepEqual(listOutcomes([outcome]), ["rejected payload_too_large"]);
  assert.equal(service.requests.length, 0);
});

test("messages above 8,000 per second wait, and end as unreachable after their timeout", async (t) => {
  const deps = { elapsed: () => 0, requestTimeoutMs: 200 };
  const { service, send } = await startFcmFixture(t, { deps });
  const address = toAddress(new SimulatedAndroid(service));
  // These messages do not fit, but use up the rate limit like any other.
  const link = `https://example.org/${"l".repeat(4_096)}`;
  const sendOversized = async () => send(address, { link });
  await eventually(sendOversized, ({ kind }) => kind === "rejected");
  const outcomes = await Promise.all(Array.from({ length: 12_000 }, sendOversized));
  const rejectedCount = outcomes.filter(({ kind }) => kind === "rejected").length;
  assert.ok(rejectedCount > 7_500 && rejectedCount < 12_000, `${rejectedCount} were rejected`);
  assert.deepEqual(listOutcomes(outcomes), ["rejected payload_too_large", "retry unreachable"]);
});

test("closing ends open requests with a retry", async (t) => {
  const { service, provider, send } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  phone.script({ kind: "hang" });
  const sending = send(toAddress(phone));
  await phone.waitForRequests(1);
  await provider.close();
  assert.deepEqual(listOutcomes([await sending]), ["retry ambiguous"]);
  assert.equal((await send(toAddress(phone))).kind, "retry");
});

test("an emulator is reached over plain HTTP", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response, { path }) => {
    const isToken = path === "/token";
    response.end(
      isToken ? '{"access_token":"x","expires_in":3599}' : '{"name":"projects/p/messages/1"}',
    );
  });
  const deps = { url: origin, tokenUrl: `${origin}/token` };
  const { service, sendMany } = await startFcmFixture(t, { deps });
  assert.deepEqual(listOutcomes(await sendMany(new SimulatedAndroid(service), 20)), ["accepted"]);
  const sendRequests = requests.filter(
    ({ path }) => path === "/v1/projects/tocsin-double/messages:send",
  );
  assert.equal(sendRequests.length, 20);
  assert.equal(sendRequests[0]?.headers.authorization, "Bearer x");
  assert.equal(requests.length, 21);
});

test("one project is one service", async (t) => {
  const { service, provider } = await startFcmFixture(t);
  assert.equal(provider.name, "fcm");
  assert.equal(provider.getServiceName(toAddress(new SimulatedAndroid(service))), "fcm");
  const apns = { provider: "apns", token: "ab", environment: "sandbox" } as const;
  assert.throws(() => provider.getServiceName(apns), TypeError);
});
