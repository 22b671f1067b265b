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
class Bench {
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

  get hold() {
    return this.breaker.getTrouble(this.now);
  }

  /** Fails until the service is held. */
  breakDown(): void {
    for (let count = 0; count < 5; count += 1) this.attempt(createFailure());
  }
}

test("refused credentials hold a service, and one message probes every five minutes", () => {
  const bench = new Bench();
  assert.equal(bench.attempt(REFUSED), "held");
  assert.equal(bench.hold?.cause, "credentials");
  assert.equal(bench.admit(), "held");
  bench.now += 5 * MINUTE_MS - 1;
  assert.equal(bench.admit(), "held");
  bench.now += 1;
  assert.equal(bench.admit(), "probe");
  assert.equal(bench.admit(), "held");
});

test("a refused probe reports no new hold, and an accepted one releases the service", () => {
  const bench = new Bench();
  bench.attempt(REFUSED);
  bench.now += 5 * MINUTE_MS;
  assert.equal(bench.attempt(REFUSED), null);
  assert.equal(bench.admit(), "held");
  bench.now += 5 * MINUTE_MS;
  assert.equal(bench.attempt(ACCEPTED), "released");
  assert.equal(bench.admit(), "go");
});

test("a late acceptance of a message sent before the refusal does not release the service", () => {
  const bench = new Bench();
  bench.attempt(REFUSED);
  const sentBefore = {
    deviceId: "phone",
    outcome: ACCEPTED,
    isProbe: false,
    startedAt: bench.now - 1,
    now: bench.now,
  };
  assert.equal(bench.breaker.recordOutcome(sentBefore), null);
  assert.equal(bench.admit(), "held");
});

test("refusals of attempts that were under way do not delay the probe", () => {
  const bench = new Bench();
  bench.attempt(REFUSED);
  const { now } = bench;
  bench.now += MINUTE_MS;
  const lateRefusal = {
    deviceId: "phone",
    outcome: REFUSED,
    isProbe: false,
    startedAt: now,
    now: bench.now,
  };
  assert.equal(bench.breaker.recordOutcome(lateRefusal), null);
  bench.now += 4 * MINUTE_MS;
  assert.equal(bench.admit(), "probe");
});

test("a probe that proves nothing lets the next message probe", () => {
  const bench = new Bench();
  bench.attempt(REFUSED);
  bench.now += 5 * MINUTE_MS;
  assert.equal(bench.attempt(null), null);
  assert.equal(bench.admit(), "probe");
});

test("a device that is gone releases a failing service, but not refused credentials", () => {
  const goneOutcome: Outcome = { kind: "gone", goneAt: 0, reason: createReason("device_gone") };
  const refused = new Bench();
  refused.attempt(REFUSED);
  refused.now += 5 * MINUTE_MS;
  assert.equal(refused.attempt(goneOutcome), null);
  assert.equal(refused.admit(), "probe");
  const failing = new Bench();
  for (let count = 0; count < 5; count += 1) failing.attempt(createFailure());
  failing.now += MINUTE_MS;
  assert.equal(failing.attempt(goneOutcome), "released");
});

test("five failures that are over half of the responses in half a minute hold a service", () => {
  const bench = new Bench();
  for (let count = 0; count < 4; count += 1) {
    assert.equal(bench.attempt(createFailure()), null);
    assert.equal(bench.attempt(ACCEPTED), null);
  }
  assert.equal(bench.attempt(createFailure("ambiguous")), "held");
  assert.equal(bench.hold?.cause, "failing");
});

test("failures among as many acceptances do not hold a service", () => {
  const bench = new Bench();
  for (let count = 0; count < 50; count += 1) {
    bench.attempt(ACCEPTED);
    assert.equal(bench.attempt(createFailure()), null);
  }
});

test("a busy service that fails a few times in a row is not held", () => {
  const bench = new Bench();
  for (let count = 0; count < 1_440; count += 1) bench.attempt(ACCEPTED);
  // This also holds if the first outcomes of a new window are failures.
  bench.now += 30_000;
  for (let second = 0; second < 90; second += 1, bench.now += 1_000) {
    for (let count = 0; count < 6; count += 1) assert.equal(bench.attempt(createFailure()), null);
    for (let count = 0; count < 42; count += 1) bench.attempt(ACCEPTED);
  }
  // 72 is 5 % of the 1,440 responses in half a minute.
  for (let count = 1; count < 72; count += 1) assert.equal(bench.attempt(createFailure()), null);
  assert.equal(bench.attempt(createFailure()), "held");
});

test("five failures in a row over any time hold a service with few messages", () => {
  const bench = new Bench();
  for (let count = 0; count < 4; count += 1) {
    assert.equal(bench.attempt(createFailure()), null);
    bench.now += 10 * MINUTE_MS;
  }
  assert.equal(bench.attempt(createFailure("unreachable")), "held");
});

test("a failing service is probed after half a minute, doubling up to two minutes", () => {
  const bench = new Bench();
  for (let count = 0; count < 5; count += 1) bench.attempt(createFailure());
  const waits: number[] = [];
  for (let count = 0; count < 7; count += 1) {
    const until = bench.hold?.until ?? 0;
    waits.push((until - bench.now) / 1_000);
    bench.now = until;
    assert.equal(bench.attempt(createFailure()), null);
  }
  assert.deepEqual(waits, [30, 60, 120, 120, 120, 120, 120]);
});

test("five devices without a failure may probe a failing service immediately", () => {
  const bench = new Bench();
  bench.breakDown();
  assert.equal(bench.admit(), "held");
  const otherAdmissions = ["a", "b", "c", "d", "e", "f"].map((deviceId) =>
    bench.admit({ deviceId }),
  );
  assert.deepEqual(otherAdmissions, ["probe", "probe", "probe", "probe", "probe", "held"]);
});

test("an acceptance for another device releases a service that one bad device held", () => {
  const bench = new Bench();
  bench.breakDown();
  assert.equal(bench.attempt(ACCEPTED, "laptop"), "released");
  assert.equal(bench.admit(), "go");
});

test("a new message probes a failing service early, but at most every ten seconds", () => {
  const bench = new Bench();
  bench.breakDown();
  const isNew = true;
  assert.equal(bench.admit({ isNew }), "probe");
  const outcome = createFailure();
  const attempt = { deviceId: "phone", outcome, isProbe: true, startedAt: bench.now };
  bench.breaker.recordOutcome({ ...attempt, now: bench.now });
  bench.now += 9_999;
  assert.equal(bench.admit({ isNew }), "held");
  bench.now += 1;
  assert.equal(bench.admit({ isNew: false }), "held");
  assert.equal(bench.admit({ isNew }), "probe");
  bench.breaker.recordOutcome({ ...attempt, now: bench.now });
  // The early probe does not delay the regular one.
  assert.equal(bench.hold?.until, 1_000_000 + 30_000);
});

test("a refusal that may concern only one device raises a suspicion but holds only that device", () => {
  const bench = new Bench();
  const maybeDevice: Outcome = { ...REFUSED, kind: "refused", mayConcernOnlyDevice: true };
  assert.equal(bench.attempt(maybeDevice), "suspected");
  assert.equal(bench.hold?.cause, "credentials");
  assert.equal(bench.breaker.getHold(bench.now), null);
  assert.equal(bench.admit({ deviceId: "laptop" }), "go");
  // The device itself waits with all its messages.
  assert.equal(bench.admit(), "held");
  bench.now += 1;
  assert.equal(bench.attempt(ACCEPTED, "laptop"), "released");
  // The service has just accepted another message, so the refusal concerns the device.
  assert.equal(bench.attempt(maybeDevice), null);
  assert.equal(bench.hold, null);
  bench.now += 10 * MINUTE_MS;
  assert.equal(bench.admit(), "go");
  assert.equal(bench.attempt(maybeDevice), "suspected");
  assert.equal(bench.attempt(REFUSED, "laptop"), "held");
  assert.equal(bench.admit({ deviceId: "tablet" }), "held");
});

test("a service that throttles all messages gets no probe before the throttle ends", () => {
  const bench = new Bench();
  const throttled: Outcome = {
    kind: "retry",
    reason: createReason("rate_limited"),
    afterMs: 10_000,
    isCounted: true,
    affectsAllDevices: true,
  };
  assert.equal(bench.attempt(throttled), "held");
  bench.now += 9_999;
  assert.equal(bench.admit(), "held");
  bench.now += 1;
  assert.equal(bench.admit(), "go");
  assert.equal(bench.hold, null);
});

test("an outcome that concerns only one device does not hold the service", () => {
  const bench = new Bench();
  for (const code of ["rate_limited", "suspect", "provider_misconfigured"] as const) {
    for (let count = 0; count < 10; count += 1)
      assert.equal(bench.attempt(createFailure(code)), null);
  }
  const rejected: Outcome = { kind: "rejected", reason: createReason("rejected") };
  assert.equal(bench.attempt(rejected), null);
  assert.equal(bench.admit(), "go");
});
