import assert from "node:assert/strict";
import { test } from "node:test";
import * as google from "../../../test/doubles/fcm/google-errors.ts";
import { generateServiceAccount } from "../../../test/doubles/fcm/service-account.ts";
import { SimulatedAndroid } from "../../../test/doubles/fcm/simulated-android.ts";
import { listOutcomes, startFcmFixture, toAddress } from "../../../test/support/fcm-fixture.ts";
import { parseServiceAccount } from "./service-account.ts";

test("an access token is renewed without a lost message", async (t) => {
  const { clock, service, sendMany } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  await sendMany(phone, 10);
  clock.offsetMs += 56 * 60_000;
  assert.deepEqual(listOutcomes(await sendMany(phone, 10)), ["accepted"]);
  await service.tokenEndpoint.waitForRequests(2);
  clock.offsetMs += 5 * 60_000;
  assert.deepEqual(listOutcomes(await sendMany(phone, 10)), ["accepted"]);
  assert.equal(service.issuedTokenCount, 2);
  assert.equal(service.requests.length, 30);
});

test("a revoked access token is replaced once for a burst", async (t) => {
  const { service, sendMany } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  await sendMany(phone, 1);
  service.tokenEndpoint.revokeAll();
  assert.deepEqual(listOutcomes(await sendMany(phone, 200)), ["accepted"]);
  assert.equal(service.issuedTokenCount, 2);
});

test("credentials are refused if a second access token is refused too", async (t) => {
  const { service, send } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  const expiredResponse = {
    kind: "answer",
    ...google.createUnauthenticatedError("ACCESS_TOKEN_EXPIRED"),
  } as const;
  phone.script(expiredResponse, expiredResponse);
  assert.deepEqual(await send(toAddress(phone)), {
    kind: "refused",
    reason: {
      code: "provider_misconfigured",
      detail: "FCM answered 401 UNAUTHENTICATED ACCESS_TOKEN_EXPIRED",
    },
  });
  assert.equal(phone.requests.length, 2);
  assert.equal(service.issuedTokenCount, 2);
});

test("a third-party auth error does not cause a new access token", async (t) => {
  const { service, send } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  phone.script({ kind: "answer", ...google.createThirdPartyAuthError() });
  assert.equal((await send(toAddress(phone))).kind, "refused");
  assert.equal(service.issuedTokenCount, 1);
});

test("a burst with an unknown key costs one token request", async (t) => {
  const { credentials } = generateServiceAccount("tocsin-double");
  const { service, sendMany } = await startFcmFixture(t, {
    deps: { credentials: parseServiceAccount(credentials) },
  });
  const outcomes = await sendMany(new SimulatedAndroid(service), 50);
  assert.deepEqual(listOutcomes(outcomes), ["refused provider_misconfigured"]);
  const [outcome] = outcomes;
  assert.ok(outcome?.kind === "refused");
  assert.match(
    outcome.reason.detail ?? "",
    /answered 400 invalid_grant: the key was deleted, or /u,
  );
  assert.equal(service.tokenEndpoint.requests.length, 1);
  assert.equal(service.requests.length, 0);
});

test("the refusal names a clock that is ten minutes ahead", async (t) => {
  const { clock, service, send } = await startFcmFixture(t);
  clock.errorMs = 10 * 60_000;
  const outcome = await send(toAddress(new SimulatedAndroid(service)));
  assert.ok(outcome.kind === "refused");
  assert.match(
    outcome.reason.detail ?? "",
    /invalid_grant: this server's clock is 10 minutes ahead$/u,
  );
});

test("a failing token endpoint delays messages without counting attempts", async (t) => {
  const { clock, service, sendMany } = await startFcmFixture(t);
  const phone = new SimulatedAndroid(service);
  service.tokenEndpoint.script({ kind: "answer", status: 503, headers: { "retry-after": "7" } });
  const outcomes = await sendMany(phone, 50);
  assert.deepEqual(listOutcomes(outcomes), ["retry transient"]);
  for (const outcome of outcomes) {
    assert.ok(outcome.kind === "retry" && !outcome.isCounted && (outcome.afterMs ?? 0) > 6_000);
  }
  assert.equal(service.tokenEndpoint.requests.length, 1);
  clock.offsetMs += 7_000;
  assert.deepEqual(listOutcomes(await sendMany(phone, 1)), ["accepted"]);
});

test("a token endpoint that hangs does not count as an attempt", async (t) => {
  const { service, send } = await startFcmFixture(t, { deps: { requestTimeoutMs: 300 } });
  service.tokenEndpoint.script({ kind: "hang" });
  const outcome = await send(toAddress(new SimulatedAndroid(service)));
  assert.ok(outcome.kind === "retry" && !outcome.isCounted);
  assert.equal(outcome.reason.code, "unreachable");
});
