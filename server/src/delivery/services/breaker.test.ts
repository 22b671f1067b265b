import assert from "node:assert/strict";
import test from "node:test";
import type { Outcome, ReasonCode } from "#providers/provider.ts";
import { Breaker } from "./breaker.ts";

const MINUTE = 60_000;
const ACCEPTED: Outcome = { kind: "accepted", receipt: null };

function because(code: ReasonCode) {
  return { code, detail: "Apple answered 403 InvalidProviderToken" };
}

function failed(code: ReasonCode = "transient"): Outcome {
  return { kind: "retry", reason: because(code), afterMs: null, counted: true };
}

const REFUSED: Outcome = { kind: "refused", reason: because("provider_misconfigured") };

/** A breaker that a test moves through time. */
class Bench {
  readonly breaker = new Breaker();
  now = 1_000_000;

  /** Makes an attempt at once, whether it is admitted or not. */
  attempt(outcome: Outcome | null, deviceId = "phone"): string | null {
    const admission = this.breaker.admit(this.now, { deviceId, isNew: false });
    const isProbe = admission.kind === "go" && admission.isProbe;
    const { now } = this;
    return this.breaker.note({ deviceId, outcome, isProbe, startedAt: now, now });
  }

  /** "go", "probe" or "held", without an answer. */
  admitted({ deviceId = "phone", isNew = false } = {}): string {
    const admission = this.breaker.admit(this.now, { deviceId, isNew });
    if (admission.kind === "held") return "held";
    return admission.isProbe ? "probe" : "go";
  }

  get hold() {
    return this.breaker.troubleAt(this.now);
  }

  /** Lets the service fail until it is held. */
  breakDown(): void {
    for (let count = 0; count < 5; count += 1) this.attempt(failed());
  }
}

test("refused credentials hold a service at once, and one message asks every five minutes", () => {
  const bench = new Bench();
  assert.equal(bench.attempt(REFUSED), "held");
  assert.equal(bench.hold?.cause, "credentials");
  assert.equal(bench.admitted(), "held");
  bench.now += 5 * MINUTE - 1;
  assert.equal(bench.admitted(), "held");
  bench.now += 1;
  assert.equal(bench.admitted(), "probe");
  assert.equal(bench.admitted(), "held");
});

test("a probe that is refused holds on without another alarm, and one that is accepted releases", () => {
  const bench = new Bench();
  bench.attempt(REFUSED);
  bench.now += 5 * MINUTE;
  assert.equal(bench.attempt(REFUSED), null);
  assert.equal(bench.admitted(), "held");
  bench.now += 5 * MINUTE;
  assert.equal(bench.attempt(ACCEPTED), "released");
  assert.equal(bench.admitted(), "go");
});

test("a message that was sent before a refusal does not release by a late acceptance", () => {
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

test("refusals of what was under way do not put off the probe", () => {
  const bench = new Bench();
  bench.attempt(REFUSED);
  const { now } = bench;
  bench.now += MINUTE;
  const late = {
    deviceId: "phone",
    outcome: REFUSED,
    isProbe: false,
    startedAt: now,
    now: bench.now,
  };
  assert.equal(bench.breaker.note(late), null);
  bench.now += 4 * MINUTE;
  assert.equal(bench.admitted(), "probe");
});

test("a probe that says nothing lets the next message ask", () => {
  const bench = new Bench();
  bench.attempt(REFUSED);
  bench.now += 5 * MINUTE;
  assert.equal(bench.attempt(null), null);
  assert.equal(bench.admitted(), "probe");
});

test("a device that is gone does not prove credentials, but that a failing service answers again", () => {
  const gone: Outcome = { kind: "gone", asOf: 0, reason: because("device_gone") };
  const refused = new Bench();
  refused.attempt(REFUSED);
  refused.now += 5 * MINUTE;
  assert.equal(refused.attempt(gone), null);
  assert.equal(refused.admitted(), "probe");
  const failing = new Bench();
  for (let count = 0; count < 5; count += 1) failing.attempt(failed());
  failing.now += MINUTE;
  assert.equal(failing.attempt(gone), "released");
});

test("five failures, more than half of all answers in half a minute, hold a service", () => {
  const bench = new Bench();
  for (let count = 0; count < 4; count += 1) {
    assert.equal(bench.attempt(failed()), null);
    assert.equal(bench.attempt(ACCEPTED), null);
  }
  assert.equal(bench.attempt(failed("ambiguous")), "held");
  assert.equal(bench.hold?.cause, "failing");
});

test("failures among as many good answers hold nobody", () => {
  const bench = new Bench();
  for (let count = 0; count < 50; count += 1) {
    bench.attempt(ACCEPTED);
    assert.equal(bench.attempt(failed()), null);
  }
});

test("a service that is asked much and fails now and then for a few in a row is not held", () => {
  const bench = new Bench();
  for (let count = 0; count < 1_440; count += 1) bench.attempt(ACCEPTED);
  // Also where the first that is heard after half a minute are failures.
  bench.now += 30_000;
  for (let second = 0; second < 90; second += 1, bench.now += 1_000) {
    for (let count = 0; count < 6; count += 1) assert.equal(bench.attempt(failed()), null);
    for (let count = 0; count < 42; count += 1) bench.attempt(ACCEPTED);
  }
  // 1,440 answers in half a minute: 72 of them.
  for (let count = 1; count < 72; count += 1) assert.equal(bench.attempt(failed()), null);
  assert.equal(bench.attempt(failed()), "held");
});

test("five failures in a row hold a service that is seldom asked, however long they took", () => {
  const bench = new Bench();
  for (let count = 0; count < 4; count += 1) {
    assert.equal(bench.attempt(failed()), null);
    bench.now += 10 * MINUTE;
  }
  assert.equal(bench.attempt(failed("unreachable")), "held");
});

test("the probes of a failing service come after half a minute, doubling up to two minutes", () => {
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

test("a device that had no part in the failures is tried at once, five such a time", () => {
  const bench = new Bench();
  bench.breakDown();
  assert.equal(bench.admitted(), "held");
  const others = ["a", "b", "c", "d", "e", "f"].map((deviceId) => bench.admitted({ deviceId }));
  assert.deepEqual(others, ["probe", "probe", "probe", "probe", "probe", "held"]);
});

test("the good answer to another device releases a service that one bad device had held", () => {
  const bench = new Bench();
  bench.breakDown();
  assert.equal(bench.attempt(ACCEPTED, "laptop"), "released");
  assert.equal(bench.admitted(), "go");
});

test("a new message asks a failing service at any time, but not oftener than every ten seconds", () => {
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
  // It came before the time of the probe, and does not put that off.
  assert.equal(bench.hold?.until, 1_000_000 + 30_000);
});

test("a refusal that may be about one device alone alarms, and stops nobody", () => {
  const bench = new Bench();
  const doubtful: Outcome = { ...REFUSED, kind: "refused", mayBeDevice: true };
  assert.equal(bench.attempt(doubtful), "suspected");
  assert.equal(bench.hold?.cause, "credentials");
  assert.equal(bench.breaker.holdAt(bench.now), null);
  assert.equal(bench.admitted({ deviceId: "laptop" }), "go");
  // The device itself waits, whichever message is for it.
  assert.equal(bench.admitted(), "held");
  bench.now += 1;
  assert.equal(bench.attempt(ACCEPTED, "laptop"), "released");
  // The service has just taken another message: it is the device.
  assert.equal(bench.attempt(doubtful), null);
  assert.equal(bench.hold, null);
  bench.now += 10 * MINUTE;
  assert.equal(bench.admitted(), "go");
  assert.equal(bench.attempt(doubtful), "suspected");
  assert.equal(bench.attempt(REFUSED, "laptop"), "held");
  assert.equal(bench.admitted({ deviceId: "tablet" }), "held");
});

test("a service that asks everybody for patience is given it, and no probe before", () => {
  const bench = new Bench();
  const patience: Outcome = {
    kind: "retry",
    reason: because("rate_limited"),
    afterMs: 10_000,
    counted: true,
    isForAll: true,
  };
  assert.equal(bench.attempt(patience), "held");
  bench.now += 9_999;
  assert.equal(bench.admitted(), "held");
  bench.now += 1;
  assert.equal(bench.admitted(), "go");
  assert.equal(bench.hold, null);
});

test("an outcome that concerns one device alone holds nobody", () => {
  const bench = new Bench();
  for (const code of ["rate_limited", "suspect", "provider_misconfigured"] as const) {
    for (let count = 0; count < 10; count += 1) assert.equal(bench.attempt(failed(code)), null);
  }
  const rejected: Outcome = { kind: "rejected", reason: because("rejected") };
  assert.equal(bench.attempt(rejected), null);
  assert.equal(bench.admitted(), "go");
});
