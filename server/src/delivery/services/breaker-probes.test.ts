import assert from "node:assert/strict";
import test from "node:test";
import type { Outcome, ReasonCode } from "#providers/provider.ts";
import { Breaker } from "./breaker.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = 1_000_000;
const ACCEPTED: Outcome = { kind: "accepted", receipt: null };

function failed(code: ReasonCode = "transient", more: Partial<Outcome> = {}): Outcome {
  const outcome = { kind: "retry", reason: { code, detail: null }, afterMs: null, counted: true };
  return { ...outcome, ...more } as Outcome; // The changes are those of a retry.
}

const refusal = { code: "provider_misconfigured", detail: null } as const;
const REFUSED: Outcome = { kind: "refused", reason: refusal };
const patience = (afterMs: number) => failed("rate_limited", { afterMs, isForAll: true });

/** A breaker at a moment that a test moves. */
function bench() {
  const breaker = new Breaker();
  const clock = { now: START };
  const admit = ({ deviceId = "phone", isNew = false } = {}): "go" | "probe" | "held" => {
    const admission = breaker.admit(clock.now, { deviceId, isNew });
    if (admission.kind === "held") return "held";
    return admission.isProbe ? "probe" : "go";
  };
  const note = (outcome: Outcome | null, { deviceId = "phone", isProbe = false } = {}) =>
    breaker.note({ deviceId, outcome, isProbe, startedAt: clock.now, now: clock.now });
  const probe = (
    outcome: Outcome | null,
    candidate: { deviceId?: string; isNew?: boolean } = {},
  ) => {
    assert.equal(admit(candidate), "probe");
    const { deviceId = "phone" } = candidate;
    return note(outcome, { deviceId, isProbe: true });
  };
  const breakDown = (code: ReasonCode = "transient") => {
    for (let count = 0; count < 5; count += 1) note(failed(code));
    assert.equal(breaker.holdAt(clock.now)?.cause, "failing");
  };
  const untilMs = () => (breaker.holdAt(clock.now)?.until ?? Number.NaN) - clock.now;
  return { breaker, clock, admit, note, probe, breakDown, untilMs };
}

test("an early probe that says nothing of the service lets a waiting message ask at once", () => {
  const { admit, probe, breakDown, untilMs } = bench();
  breakDown();
  assert.equal(untilMs(), 30 * SECOND);
  assert.equal(admit(), "held");
  probe({ kind: "rejected", reason: { code: "payload_too_large", detail: null } }, { isNew: true });
  assert.equal(admit(), "probe");
});

test("a failing service that asks for patience gets no probe before that is over, by whatever message", () => {
  const { breaker, clock, admit, note, breakDown } = bench();
  breakDown();
  // Under way as the other answer comes.
  assert.equal(admit({ deviceId: "laptop" }), "probe");
  assert.equal(note(patience(MINUTE)), null);
  assert.equal(breaker.holdAt(clock.now)?.until, START + MINUTE);
  assert.equal(note(null, { deviceId: "laptop", isProbe: true }), null);
  assert.equal(breaker.isProbeDue(clock.now), false);
  assert.equal(admit({ isNew: true }), "held");
  assert.equal(admit({ deviceId: "tablet" }), "held");
  clock.now += MINUTE;
  assert.equal(breaker.isProbeDue(clock.now), true);
  assert.equal(admit(), "probe");
});

test("a service that fails while it throttles is probed after its own wait at the earliest", () => {
  const { note, breakDown, untilMs } = bench();
  assert.equal(note(patience(MINUTE)), "held");
  breakDown();
  assert.equal(untilMs(), MINUTE);
});

test("each failed probe lets five more devices that had no part in the failures try", () => {
  const { clock, admit, probe, breakDown } = bench();
  breakDown();
  for (const deviceId of ["a", "b", "c", "d", "e"]) probe(failed(), { deviceId });
  assert.equal(admit({ deviceId: "f" }), "held");
  clock.now += 30 * SECOND;
  probe(failed());
  assert.equal(admit({ deviceId: "a" }), "held");
  assert.equal(admit({ deviceId: "f" }), "probe");
});

test("the waits between probes begin anew with each outage, and are a minute at most for a service that is unreachable", () => {
  const { clock, probe, breakDown, untilMs } = bench();
  const waits = (code: ReasonCode, count: number) => {
    breakDown(code);
    return Array.from({ length: count }, () => {
      const waitMs = untilMs();
      clock.now += waitMs;
      probe(failed(code));
      return waitMs / SECOND;
    });
  };
  const recover = () => {
    clock.now += untilMs();
    assert.equal(probe(ACCEPTED), "released");
  };
  assert.deepEqual(waits("transient", 3), [30, 60, 120]);
  recover();
  assert.deepEqual(waits("transient", 2), [30, 60]);
  recover();
  assert.deepEqual(waits("unreachable", 4), [30, 60, 60, 60]);
});

test("refused credentials stay the cause since they were refused, whatever a probe meets", () => {
  const { breaker, clock, note, probe } = bench();
  assert.equal(note(REFUSED), "held");
  clock.now += 5 * MINUTE;
  assert.equal(probe(REFUSED), null);
  assert.equal(breaker.troubleAt(clock.now)?.since, START);
  clock.now += 5 * MINUTE;
  assert.equal(probe(failed("unreachable")), null);
  const { cause, since, until } = breaker.troubleAt(clock.now) ?? assert.fail("It is released.");
  assert.deepEqual([cause, since, until], ["credentials", START, clock.now + 5 * MINUTE]);
});

test("a probe of the moment at which the trouble began proves its end, another answer of that moment not", () => {
  const { note, probe, breakDown } = bench();
  breakDown();
  assert.equal(note(ACCEPTED), null);
  assert.equal(probe(ACCEPTED, { isNew: true }), "released");
});

test("a throttle that is prolonged began when it began, and no answer ends it", () => {
  const { breaker, clock, admit, note } = bench();
  assert.equal(note(patience(10 * SECOND)), "held");
  clock.now += 5 * SECOND;
  assert.equal(note(ACCEPTED), null);
  assert.equal(admit(), "held");
  assert.equal(note(patience(10 * SECOND)), null);
  const { since, until } = breaker.holdAt(clock.now) ?? assert.fail("It is over.");
  assert.deepEqual([since, until], [START, START + 15 * SECOND]);
  clock.now += 10 * SECOND;
  assert.equal(note(patience(SECOND)), "held");
  assert.equal(breaker.holdAt(clock.now)?.since, clock.now);
});

test("a device that failed before the service's last answer had no part in the failures after it", () => {
  const { admit, note } = bench();
  note(failed(), { deviceId: "laptop" });
  note(ACCEPTED, { deviceId: "tablet" });
  for (let count = 0; count < 5; count += 1) note(failed());
  assert.equal(admit(), "held");
  assert.equal(admit({ deviceId: "laptop" }), "probe");
});

test("a service that was asked much a minute ago is held after five failures, one asked much just now is not", () => {
  const answers = () => {
    const { clock, note } = bench();
    for (let count = 0; count < 1_000; count += 1) note(ACCEPTED);
    return { clock, fail: () => note(failed()) };
  };
  const fourTimes = (fail: () => unknown) => [1, 2, 3, 4].map(() => fail());
  const busy = answers();
  busy.clock.now += 59 * SECOND;
  assert.deepEqual([...fourTimes(busy.fail), busy.fail()], [null, null, null, null, null]);
  const idle = answers();
  idle.clock.now += 60 * SECOND;
  assert.deepEqual([...fourTimes(idle.fail), idle.fail()], [null, null, null, null, "held"]);
});

test("a service is trusted for five minutes after it took a message", () => {
  const { clock, note } = bench();
  const doubtful: Outcome = { kind: "refused", reason: refusal, mayBeDevice: true };
  note(ACCEPTED, { deviceId: "laptop" });
  clock.now += 5 * MINUTE - 1;
  assert.equal(note(doubtful), null);
  clock.now += 1;
  assert.equal(note(doubtful), "suspected");
});

test("requests that this process had no room for hold no service", () => {
  const { breaker, clock, note } = bench();
  for (let count = 0; count < 10; count += 1) {
    assert.equal(note(failed("unreachable", { isNoSign: true })), null);
  }
  assert.equal(breaker.troubleAt(clock.now), null);
});

test("a device that is refused by itself waits five minutes, doubling up to an hour, and anew once it was accepted", () => {
  const { breaker, clock, note } = bench();
  const doubtful: Outcome = { kind: "refused", reason: refusal, mayBeDevice: true };
  const wait = () => {
    note(doubtful);
    const waitMs = (breaker.waitOf("phone", clock.now)?.until ?? 0) - clock.now;
    clock.now += waitMs;
    assert.equal(breaker.waitOf("phone", clock.now), null);
    return waitMs / MINUTE;
  };
  assert.deepEqual([wait(), wait(), wait(), wait(), wait(), wait()], [5, 10, 20, 40, 60, 60]);
  note(ACCEPTED);
  assert.equal(wait(), 5);
});
