import assert from "node:assert/strict";
import test from "node:test";
import type { Outcome, ReasonCode } from "#providers/provider.ts";
import { Breaker } from "./breaker.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const START_MS = 1_000_000;
const ACCEPTED: Outcome = { kind: "accepted", receipt: null };

function failed(code: ReasonCode = "transient", more: Partial<Outcome> = {}): Outcome {
  const outcome = { kind: "retry", reason: { code, detail: null }, afterMs: null, counted: true };
  return { ...outcome, ...more } as Outcome; // All changes are fields of a retry.
}

const refusal = { code: "provider_misconfigured", detail: null } as const;
const REFUSED: Outcome = { kind: "refused", reason: refusal };
const throttled = (afterMs: number) => failed("rate_limited", { afterMs, isForAll: true });

/** Returns a breaker and a clock that the test moves. */
function setUp() {
  const breaker = new Breaker();
  const clock = { now: START_MS };
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

test("an early probe that proves nothing lets a waiting message probe immediately", () => {
  const { admit, probe, breakDown, untilMs } = setUp();
  breakDown();
  assert.equal(untilMs(), 30 * SECOND_MS);
  assert.equal(admit(), "held");
  probe({ kind: "rejected", reason: { code: "payload_too_large", detail: null } }, { isNew: true });
  assert.equal(admit(), "probe");
});

test("a failing service that throttles gets no probe before the throttle ends", () => {
  const { breaker, clock, admit, note, breakDown } = setUp();
  breakDown();
  // Two probes are under way when the other response arrives.
  assert.equal(admit({ deviceId: "laptop" }), "probe");
  assert.equal(note(throttled(MINUTE_MS)), null);
  assert.equal(breaker.holdAt(clock.now)?.until, START_MS + MINUTE_MS);
  assert.equal(note(null, { deviceId: "laptop", isProbe: true }), null);
  assert.equal(breaker.isProbeDue(clock.now), false);
  assert.equal(admit({ isNew: true }), "held");
  assert.equal(admit({ deviceId: "tablet" }), "held");
  clock.now += MINUTE_MS;
  assert.equal(breaker.isProbeDue(clock.now), true);
  assert.equal(admit(), "probe");
});

test("a service that fails while it throttles is probed after the throttle", () => {
  const { note, breakDown, untilMs } = setUp();
  assert.equal(note(throttled(MINUTE_MS)), "held");
  breakDown();
  assert.equal(untilMs(), MINUTE_MS);
});

test("each failed probe admits five more devices without a failure", () => {
  const { clock, admit, probe, breakDown } = setUp();
  breakDown();
  for (const deviceId of ["a", "b", "c", "d", "e"]) probe(failed(), { deviceId });
  assert.equal(admit({ deviceId: "f" }), "held");
  clock.now += 30 * SECOND_MS;
  probe(failed());
  assert.equal(admit({ deviceId: "a" }), "held");
  assert.equal(admit({ deviceId: "f" }), "probe");
});

test("the delays between probes restart with each outage; at most a minute if unreachable", () => {
  const { clock, probe, breakDown, untilMs } = setUp();
  const waits = (code: ReasonCode, count: number) => {
    breakDown(code);
    return Array.from({ length: count }, () => {
      const waitMs = untilMs();
      clock.now += waitMs;
      probe(failed(code));
      return waitMs / SECOND_MS;
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

test("refused credentials stay the cause after any failed probe", () => {
  const { breaker, clock, note, probe } = setUp();
  assert.equal(note(REFUSED), "held");
  clock.now += 5 * MINUTE_MS;
  assert.equal(probe(REFUSED), null);
  assert.equal(breaker.troubleAt(clock.now)?.since, START_MS);
  clock.now += 5 * MINUTE_MS;
  assert.equal(probe(failed("unreachable")), null);
  const { cause, since, until } = breaker.troubleAt(clock.now) ?? assert.fail("It is released.");
  assert.deepEqual([cause, since, until], ["credentials", START_MS, clock.now + 5 * MINUTE_MS]);
});

test("a probe sent when the trouble began can end it; another response of that time cannot", () => {
  const { note, probe, breakDown } = setUp();
  breakDown();
  assert.equal(note(ACCEPTED), null);
  assert.equal(probe(ACCEPTED, { isNew: true }), "released");
});

test("an extended throttle keeps its start, and no response ends it", () => {
  const { breaker, clock, admit, note } = setUp();
  assert.equal(note(throttled(10 * SECOND_MS)), "held");
  clock.now += 5 * SECOND_MS;
  assert.equal(note(ACCEPTED), null);
  assert.equal(admit(), "held");
  assert.equal(note(throttled(10 * SECOND_MS)), null);
  const { since, until } = breaker.holdAt(clock.now) ?? assert.fail("It is over.");
  assert.deepEqual([since, until], [START_MS, START_MS + 15 * SECOND_MS]);
  clock.now += 10 * SECOND_MS;
  assert.equal(note(throttled(SECOND_MS)), "held");
  assert.equal(breaker.holdAt(clock.now)?.since, clock.now);
});

test("a device that failed before the service's last response may still probe", () => {
  const { admit, note } = setUp();
  note(failed(), { deviceId: "laptop" });
  note(ACCEPTED, { deviceId: "tablet" });
  for (let count = 0; count < 5; count += 1) note(failed());
  assert.equal(admit(), "held");
  assert.equal(admit({ deviceId: "laptop" }), "probe");
});

test("five failures hold a service that was busy a minute ago, but not one that is busy now", () => {
  const answers = () => {
    const { clock, note } = setUp();
    for (let count = 0; count < 1_000; count += 1) note(ACCEPTED);
    return { clock, fail: () => note(failed()) };
  };
  const fourTimes = (fail: () => unknown) => [1, 2, 3, 4].map(() => fail());
  const busy = answers();
  busy.clock.now += 59 * SECOND_MS;
  assert.deepEqual([...fourTimes(busy.fail), busy.fail()], [null, null, null, null, null]);
  const idle = answers();
  idle.clock.now += 60 * SECOND_MS;
  assert.deepEqual([...fourTimes(idle.fail), idle.fail()], [null, null, null, null, "held"]);
});

test("a service is not suspected for five minutes after it accepted a message", () => {
  const { clock, note } = setUp();
  const maybeDevice: Outcome = { kind: "refused", reason: refusal, mayBeDevice: true };
  note(ACCEPTED, { deviceId: "laptop" });
  clock.now += 5 * MINUTE_MS - 1;
  assert.equal(note(maybeDevice), null);
  clock.now += 1;
  assert.equal(note(maybeDevice), "suspected");
});

test("requests that this process had no capacity for do not hold a service", () => {
  const { breaker, clock, note } = setUp();
  for (let count = 0; count < 10; count += 1) {
    assert.equal(note(failed("unreachable", { isNoSign: true })), null);
  }
  assert.equal(breaker.troubleAt(clock.now), null);
});

test("a refused device waits five minutes, doubling to an hour; an acceptance resets this", () => {
  const { breaker, clock, note } = setUp();
  const maybeDevice: Outcome = { kind: "refused", reason: refusal, mayBeDevice: true };
  const wait = () => {
    note(maybeDevice);
    const waitMs = (breaker.waitOf("phone", clock.now)?.until ?? 0) - clock.now;
    clock.now += waitMs;
    assert.equal(breaker.waitOf("phone", clock.now), null);
    return waitMs / MINUTE_MS;
  };
  assert.deepEqual([wait(), wait(), wait(), wait(), wait(), wait()], [5, 10, 20, 40, 60, 60]);
  note(ACCEPTED);
  assert.equal(wait(), 5);
});
