import assert from "node:assert/strict";
import test from "node:test";
import type { Outcome, ReasonCode } from "#providers/provider.ts";
import { Breaker } from "./breaker.ts";

const MINUTE_MS = 60_000;
const ACCEPTED: Outcome = { kind: "accepted", receipt: null };

function createReason(code: ReasonCode) {
  return { code, detail: "Apple answered 403 InvalidProviderToken" };
}

function createFailure(code: ReasonCode = "transient"): Outcome {
  return { kind: "retry", reason: createReason(code), afterMs: null, isCounted: true };
}

const REFUSED: Outcome = { kind: "refused", reason: createReason("provider_misconfigured") };

/** A breaker with a clock that the test moves. */
class BreakerFixture {
  readonly breaker = new Breaker(() => 0);
  now = 1_000_000;

  /** Makes an attempt, even if it is not admitted. */
  attempt(outcome: Outcome | null, deviceId = "phone"): string | null {
    const admission = this.breaker.admit(this.now, { deviceId, isNew: false });
    const isProbe = admission.kind === "go" && admission.isProbe;
    const { now } = this;
    return this.breaker.recordOutcome({ deviceId, outcome, isProbe, startedAt: now, now });
  }

  /** Returns "go", "probe" or "held", without recording an outcome. */
  admit({ deviceId = "phone", isNew = false } = {}): string {
    const admission = this.breaker.admit(this.now, { deviceId, isNew });
    if (admission.kind === "held") return "held";
    return admission.isProbe ? "probe" : "go";
  }

  get trouble() {
    return this.breaker.getTrouble(this.now);
  }

  /** Fails until the service is held. */
  breakDown(): void {
    for (let count = 0; count < 5; count += 1) this.attempt(createFailure());
  }
}

test("refused credentials hold a service, and one message probes every five minutes", () => {
  const fixture = new BreakerFixture();
  assert.equal(fixture.attempt(REFUSED), "held");
  assert.equal(fixture.trouble?.cause, "credentials");
  assert.equal(fixture.admit(), "held");
  fixture.now += 5 * MINUTE_MS - 1;
  assert.equal(fixture.admit(), "held");
  fixture.now += 1;
  assert.equal(fixture.admit(), "probe");
  assert.equal(fixture.admit(), "held");
});

test("a refused probe reports no new hold, and an accepted one releases the service", () => {
  const fixture = new BreakerFixture();
  fixture.attempt(REFUSED);
  fixture.now += 5 * MINUTE_MS;
  assert.equal(fixture.attempt(REFUSED), null);
  assert.equal(fixture.admit(), "held");
  fixture.now += 5 * MINUTE_MS;
  assert.equal(fixture.attempt(ACCEPTED), "released");
  assert.equal(fixture.admit(), "go");
});

test("a late acceptance of a message sent before the refusal does not release the service", () => {
  const fixture = new BreakerFixture();
  fixture.attempt(REFUSED);
  const sentBefore = {
    deviceId: "phone",
    outcome: ACCEPTED,
    isProbe: false,
    startedAt: fixture.now - 1,
    now: fixture.now,
  };
  assert.equal(fixture.breaker.recordOutcome(sentBefore), null);
  assert.equal(fixture.admit(), "held");
});

test("refusals of attempts that were under way do not delay the probe", () => {
  const fixture = new BreakerFixture();
  fixture.attempt(REFUSED);
  const { now } = fixture;
  fixture.now += MINUTE_MS;
  const lateRefusal = {
    deviceId: "phone",
    outcome: REFUSED,
    isProbe: false,
    startedAt: now,
    now: fixture.now,
  };
  assert.equal(fixture.breaker.recordOutcome(lateRefusal), null);
  fixture.now += 4 * MINUTE_MS;
  assert.equal(fixture.admit(), "probe");
});

test("a probe that proves nothing lets the next message probe", () => {
  const fixture = new BreakerFixture();
  fixture.attempt(REFUSED);
  fixture.now += 5 * MINUTE_MS;
  assert.equal(fixture.attempt(null), null);
  assert.equal(fixture.admit(), "probe");
});

test("a device that is gone releases a failing service, but not refused credentials", () => {
  const goneOutcome: Outcome = { kind: "gone", goneAt: 0, reason: createReason("device_gone") };
  const refused = new BreakerFixture();
  refused.attempt(REFUSED);
  refused.now += 5 * MINUTE_MS;
  assert.equal(refused.attempt(goneOutcome), null);
  assert.equal(refused.admit(), "probe");
  const failing = new BreakerFixture();
  for (let count = 0; count < 5; count += 1) failing.attempt(createFailure());
  failing.now += MINUTE_MS;
  assert.equal(failing.attempt(goneOutcome), "released");
});

test("five failures that are over half of the responses in half a minute hold a service", () => {
  const fixture = new BreakerFixture();
  for (let count = 0; count < 4; count += 1) {
    assert.equal(fixture.attempt(createFailure()), null);
    assert.equal(fixture.attempt(ACCEPTED), null);
  }
  assert.equal(fixture.attempt(createFailure("ambiguous")), "held");
  assert.equal(fixture.trouble?.cause, "failing");
});

test("failures among as many acceptances do not hold a service", () => {
  const fixture = new BreakerFixture();
  for (let count = 0; count < 50; count += 1) {
    fixture.attempt(ACCEPTED);
    assert.equal(fixture.attempt(createFailure()), null);
  }
});

test("failures in a row hold a busy service only from 5 % of its responses", () => {
  const fixture = new BreakerFixture();
  for (let count = 0; count < 1_440; count += 1) fixture.attempt(ACCEPTED);
  // This also holds if the first outcomes of a new window are failures.
  fixture.now += 30_000;
  for (let second = 0; second < 90; second += 1, fixture.now += 1_000) {
    for (let count = 0; count < 6; count += 1) assert.equal(fixture.attempt(createFailure()), null);
    for (let count = 0; count < 42; count += 1) fixture.attempt(ACCEPTED);
  }
  // 72 is 5 % of the 1,440 responses in half a minute.
  for (let count = 1; count < 72; count += 1) assert.equal(fixture.attempt(createFailure()), null);
  assert.equal(fixture.attempt(createFailure()), "held");
});

test("five failures in a row over any time hold a service with few messages", () => {
  const fixture = new BreakerFixture();
  for (let count = 0; count < 4; count += 1) {
    assert.equal(fixture.attempt(createFailure()), null);
    fixture.now += 10 * MINUTE_MS;
  }
  assert.equal(fixture.attempt(createFailure("unreachable")), "held");
});

test("a failing service is probed after half a minute, doubling up to two minutes", () => {
  const fixture = new BreakerFixture();
  for (let count = 0; count < 5; count += 1) fixture.attempt(createFailure());
  const waits: number[] = [];
  for (let count = 0; count < 7; count += 1) {
    const until = fixture.trouble?.until ?? 0;
    waits.push((until - fixture.now) / 1_000);
    fixture.now = until;
    assert.equal(fixture.attempt(createFailure()), null);
  }
  assert.deepEqual(waits, [30, 60, 120, 120, 120, 120, 120]);
});

test("five devices without a failure may probe a failing service immediately", () => {
  const fixture = new BreakerFixture();
  fixture.breakDown();
  assert.equal(fixture.admit(), "held");
  const otherAdmissions = ["a", "b", "c", "d", "e", "f"].map((deviceId) =>
    fixture.admit({ deviceId }),
  );
  assert.deepEqual(otherAdmissions, ["probe", "probe", "probe", "probe", "probe", "held"]);
});

test("an acceptance for another device releases a service that one bad device held", () => {
  const fixture = new BreakerFixture();
  fixture.breakDown();
  assert.equal(fixture.attempt(ACCEPTED, "laptop"), "released");
  assert.equal(fixture.admit(), "go");
});

test("a new message probes a failing service early, but at most every ten seconds", () => {
  const fixture = new BreakerFixture();
  fixture.breakDown();
  const isNew = true;
  assert.equal(fixture.admit({ isNew }), "probe");
  const outcome = createFailure();
  const attempt = { deviceId: "phone", outcome, isProbe: true, startedAt: fixture.now };
  fixture.breaker.recordOutcome({ ...attempt, now: fixture.now });
  fixture.now += 9_999;
  assert.equal(fixture.admit({ isNew }), "held");
  fixture.now += 1;
  assert.equal(fixture.admit({ isNew: false }), "held");
  assert.equal(fixture.admit({ isNew }), "probe");
  fixture.breaker.recordOutcome({ ...attempt, now: fixture.now });
  // The early probe does not delay the regular one.
  assert.equal(fixture.trouble?.until, 1_000_000 + 30_000);
});

test("a refusal that may concern only one device raises a suspicion but holds only that device", () => {
  const fixture = new BreakerFixture();
  const possibleDeviceRefusal: Outcome = {
    ...REFUSED,
    kind: "refused",
    mayConcernOnlyDevice: true,
  };
  assert.equal(fixture.attempt(possibleDeviceRefusal), "suspected");
  assert.equal(fixture.trouble?.cause, "credentials");
  assert.equal(fixture.breaker.getHold(fixture.now), null);
  assert.equal(fixture.admit({ deviceId: "laptop" }), "go");
  // The device itself waits with all its messages.
  assert.equal(fixture.admit(), "held");
  fixture.now += 1;
  assert.equal(fixture.attempt(ACCEPTED, "laptop"), "released");
  // The service has just accepted another message, so the refusal concerns the device.
  assert.equal(fixture.attempt(possibleDeviceRefusal), null);
  assert.equal(fixture.trouble, null);
  fixture.now += 10 * MINUTE_MS;
  assert.equal(fixture.admit(), "go");
  assert.equal(fixture.attempt(possibleDeviceRefusal), "suspected");
  assert.equal(fixture.attempt(REFUSED, "laptop"), "held");
  assert.equal(fixture.admit({ deviceId: "tablet" }), "held");
});

test("a service that throttles all messages gets no probe before the throttle ends", () => {
  const fixture = new BreakerFixture();
  const throttled: Outcome = {
    kind: "retry",
    reason: createReason("rate_limited"),
    afterMs: 10_000,
    isCounted: true,
    affectsAllDevices: true,
  };
  assert.equal(fixture.attempt(throttled), "held");
  fixture.now += 9_999;
  assert.equal(fixture.admit(), "held");
  fixture.now += 1;
  assert.equal(fixture.admit(), "go");
  assert.equal(fixture.trouble, null);
});

test("an outcome that concerns only one device does not hold the service", () => {
  const fixture = new BreakerFixture();
  for (const code of ["rate_limited", "suspect", "provider_misconfigured"] as const) {
    for (let count = 0; count < 10; count += 1)
      assert.equal(fixture.attempt(createFailure(code)), null);
  }
  const rejected: Outcome = { kind: "rejected", reason: createReason("rejected") };
  assert.equal(fixture.attempt(rejected), null);
  assert.equal(fixture.admit(), "go");
});
