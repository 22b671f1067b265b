import assert from "node:assert/strict";
import test from "node:test";
import type { Outcome, ReasonCode } from "#providers/provider.ts";
import { Breaker } from "./breaker.ts";

const MINUTE_MS = 60_000;
const ACCEPTED: Outcome = { kind: "accepted", receipt: null };

function reasonFor(code: ReasonCode) {
  return { code, detail: "Apple answered 403 InvalidProviderToken" };
}

function failed(code: ReasonCode = "transient"): Outcome {
  return { kind: "retry", reason: reasonFor(code), afterMs: null, counted: true };
}

const REFUSED: Outcome = { kind: "refused", reason: reasonFor("provider_misconfigured") };

/** A breaker with a clock that the test moves. */
class Bench {
  readonly breaker = new Breaker();
  now = 1_000_000;

  /** Makes an attempt, even if it is not admitted. */
  attempt(outcome: Outcome | null, deviceId = "phone"): string | null {
    const admission = this.breaker.admit(this.now, { deviceId, isNew: false });
    const isProbe = admission.kind === "go" && admission.isProbe;
    const { now } = this;
    return this.breaker.note({ deviceId, outcome, isProbe, startedAt: now, now });
  }

  /** Returns "go", "probe" or "held", without noting an outcome. */
  admitted({ deviceId = "phone", isNew = false } = {}): string {
    const admission = this.breaker.admit(this.now, { deviceId, isNew });
    if (admission.kind === "held") return "held";
    return admission.isProbe ? "probe" : "go";
  }

  get hold() {
    return this.breaker.troubleAt(this.now);
  }

  /** Fails until the service is held. */
  breakDown(): void {
    for (let count = 0; count < 5; count += 1) this.attempt(failed());
  }
}

test("refused credentials hold a service, and one message probes every five minutes", () => {
  const bench = new Bench();
  assert.equal(bench.attempt(REFUSED), "held");
  assert.equal(bench.hold?.cause, "credentials");
  assert.equal(bench.admitted(), "held");
  bench.now += 5 * MINUTE_MS - 1;
  assert.equal(bench.admitted(), "held");
  bench.now += 1;
  assert.equal(bench.admitted(), "probe");
  assert.equal(bench.admitted(), "held");
});

test("a refused probe reports no new hold, and an accepted one releases the service", () => {
  const bench = new Bench();
  bench.attempt(REFUSED);
  bench.now += 5 * MINUTE_MS;
  assert.equal(bench.attempt(REFUSED), null);
  assert.equal(bench.admitted(), "held");
  bench.now += 5 * MINUTE_MS;
  assert.equal(bench.attempt(ACCEPTED), "released");
  assert.equal(bench.admitted(), "go");
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
  assert.equal(bench.breaker.note(sentBefore), null);
  assert.equal(bench.admitted(), "held");
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
  assert.equal(bench.breaker.note(lateRefusal), null);
  bench.now += 4 * MINUTE_MS;
  assert.equal(bench.admitted(), "probe");
});

test("a probe that proves nothing lets the next message probe", () => {
  const bench = new Bench();
  bench.attempt(REFUSED);
  bench.now += 5 * MINUTE_MS;
  assert.equal(bench.attempt(null), null);
  assert.equal(bench.admitted(), "probe");
});

test("a device that is gone releases a failing service, but not refused credentials", () => {
  const gone: Outcome = { kind: "gone", asOf: 0, reason: reasonFor("device_gone") };
  const refused = new Bench();
  refused.attempt(REFUSED);
  refused.now += 5 * MINUTE_MS;
  assert.equal(refused.attempt(gone), null);
  assert.equal(refused.admitted(), "probe");
  const failing = new Bench();
  for (let count = 0; count < 5; count += 1) failing.attempt(failed());
  failing.now += MINUTE_MS;
  assert.equal(failing.attempt(gone), "released");
});

test("five failures that are over half of the responses in half a minute hold a service", () => {
  const bench = new Bench();
  for (let count = 0; count < 4; count += 1) {
    assert.equal(bench.attempt(failed()), null);
    assert.equal(bench.attempt(ACCEPTED), null);
  }
  assert.equal(bench.attempt(failed("ambiguous")), "held");
  assert.equal(bench.hold?.cause, "failing");
});

test("failures among as many acceptances do not hold a service", () => {
  const bench = new Bench();
  for (let count = 0; count < 50; count += 1) {
    bench.attempt(ACCEPTED);
    assert.equal(bench.attempt(failed()), null);
  }
});

test("a busy service that fails a few times in a row is not held", () => {
  const bench = new Bench();
  for (let count = 0; count < 1_440; count += 1) bench.attempt(ACCEPTED);
  // This also holds if the first outcomes of a new window are failures.
  bench.now += 30_000;
  for (let second = 0; second < 90; second += 1, bench.now += 1_000) {
    for (let count = 0; count < 6; count += 1) assert.equal(bench.attempt(failed()), null);
    for (let count = 0; count < 42; count += 1) bench.attempt(ACCEPTED);
  }
  // 72 is 5 % of the 1,440 responses in half a minute.
  for (let count = 1; count < 72; count += 1) assert.equal(bench.attempt(failed()), null);
  assert.equal(bench.attempt(failed()), "held");
});

test("five failures in a row over any time hold a service with few messages", () => {
  const bench = new Bench();
  for (let count = 0; count < 4; count += 1) {
    assert.equal(bench.attempt(failed()), null);
    bench.now += 10 * MINUTE_MS;
  }
  assert.equal(bench.attempt(failed("unreachable")), "held");
});

test("a failing service is probed after half a minute, doubling up to two minutes", () => {
  const bench = new Bench();
  for (let count = 0; count < 5; count += 1) bench.attempt(failed());
  const waits: number[] = [];
  for (let count = 0; count < 7; count += 1) {
    const until = bench.hold?.until ?? 0;
    waits.push((until - bench.now) / 1_000);
    bench.now = until;
    assert.equal(bench.attempt(failed()), null);
  }
  assert.deepEqual(waits, [30, 60, 120, 120, 120, 120, 120]);
});

test("five devices without a failure may probe a failing service immediately", () => {
  const bench = new Bench();
  bench.breakDown();
  assert.equal(bench.admitted(), "held");
  const others = ["a", "b", "c", "d", "e", "f"].map((deviceId) => bench.admitted({ deviceId }));
  assert.deepEqual(others, ["probe", "probe", "probe", "probe", "probe", "held"]);
});

test("an acceptance for another device releases a service that one bad device held", () => {
  const bench = new Bench();
  bench.breakDown();
  assert.equal(bench.attempt(ACCEPTED, "laptop"), "released");
  assert.equal(bench.admitted(), "go");
});

test("a new message probes a failing service early, but at most every ten seconds", () => {
  const bench = new Bench();
  bench.breakDown();
  const isNew = true;
  assert.equal(bench.admitted({ isNew }), "probe");
  const outcome = failed();
  const noted = { deviceId: "phone", outcome, isProbe: true, startedAt: bench.now };
  bench.breaker.note({ ...noted, now: bench.now });
  bench.now += 9_999;
  assert.equal(bench.admitted({ isNew }), "held");
  bench.now += 1;
  assert.equal(bench.admitted({ isNew: false }), "held");
  assert.equal(bench.admitted({ isNew }), "probe");
  bench.breaker.note({ ...noted, now: bench.now });
  // The early probe does not delay the regular one.
  assert.equal(bench.hold?.until, 1_000_000 + 30_000);
});

test("a refusal that may concern only one device raises a suspicion but holds only that device", () => {
  const bench = new Bench();
  const maybeDevice: Outcome = { ...REFUSED, kind: "refused", mayBeDevice: true };
  assert.equal(bench.attempt(maybeDevice), "suspected");
  assert.equal(bench.hold?.cause, "credentials");
  assert.equal(bench.breaker.holdAt(bench.now), null);
  assert.equal(bench.admitted({ deviceId: "laptop" }), "go");
  // The device itself waits with all its messages.
  assert.equal(bench.admitted(), "held");
  bench.now += 1;
  assert.equal(bench.attempt(ACCEPTED, "laptop"), "released");
  // The service has just accepted another message, so the refusal concerns the device.
  assert.equal(bench.attempt(maybeDevice), null);
  assert.equal(bench.hold, null);
  bench.now += 10 * MINUTE_MS;
  assert.equal(bench.admitted(), "go");
  assert.equal(bench.attempt(maybeDevice), "suspected");
  assert.equal(bench.attempt(REFUSED, "laptop"), "held");
  assert.equal(bench.admitted({ deviceId: "tablet" }), "held");
});

test("a service that throttles all messages gets no probe before the throttle ends", () => {
  const bench = new Bench();
  const throttled: Outcome = {
    kind: "retry",
    reason: reasonFor("rate_limited"),
    afterMs: 10_000,
    counted: true,
    isForAll: true,
  };
  assert.equal(bench.attempt(throttled), "held");
  bench.now += 9_999;
  assert.equal(bench.admitted(), "held");
  bench.now += 1;
  assert.equal(bench.admitted(), "go");
  assert.equal(bench.hold, null);
});

test("an outcome that concerns only one device does not hold the service", () => {
  const bench = new Bench();
  for (const code of ["rate_limited", "suspect", "provider_misconfigured"] as const) {
    for (let count = 0; count < 10; count += 1) assert.equal(bench.attempt(failed(code)), null);
  }
  const rejected: Outcome = { kind: "rejected", reason: reasonFor("rejected") };
  assert.equal(bench.attempt(rejected), null);
  assert.equal(bench.admitted(), "go");
});
