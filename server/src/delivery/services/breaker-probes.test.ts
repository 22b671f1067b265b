import assert from "node:assert/strict";
import test from "node:test";
import type { Outcome, ReasonCode } from "#providers/provider.ts";
import { Breaker } from "./breaker.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const START_MS = 1_000_000;
const ACCEPTED: Outcome = { kind: "accepted", receipt: null };

function createFailure(code: ReasonCode = "transient", more: Partial<Outcome> = {}): Outcome {
  const outcome = { kind: "retry", reason: { code, detail: null }, afterMs: null, isCounted: true };
  return { ...outcome, ...more } as Outcome; // Callers change only fields of a retry.
}

const refusal = { code: "provider_misconfigured", detail: null } as const;
const REFUSED: Outcome = { kind: "refused", reason: refusal };
const createThrottle = (afterMs: number) =>
  createFailure("rate_limited", { afterMs, affectsAllDevices: true });

/** Returns a breaker and a clock that the test moves. */
function setUp() {
  const clock = { now: START_MS, offset: 0 };
  const breaker = new Breaker(() => clock.offset);
  const admit = ({ deviceId = "phone", isNew = false } = {}): "go" | "probe" | "held" => {
    const admission = breaker.admit(clock.now, { deviceId, isNew });
    if (admission.kind === "held") return "held";
    return admission.isProbe ? "probe" : "go";
  };
  const record = (outcome: Outcome | null, { deviceId = "phone", isProbe = false } = {}) =>
    breaker.recordOutcome({ deviceId, outcome, isProbe, startedAt: clock.now, now: clock.now });
  const probe = (
    outcome: Outcome | null,
    candidate: { deviceId?: string; isNew?: boolean } = {},
  ) => {
    assert.equal(admit(candidate), "probe");
    const { deviceId = "phone" } = candidate;
    return record(outcome, { deviceId, isProbe: true });
  };
  const breakDown = (code: ReasonCode = "transient") => {
    for (let count = 0; count < 5; count += 1) record(createFailure(code));
    assert.equal(breaker.getHold(clock.now)?.cause, "failing");
  };
  const getRemainingMs = () => (breaker.getHold(clock.now)?.until ?? Number.NaN) - clock.now;
  return { breaker, clock, admit, record, probe, breakDown, getRemainingMs };
}

test("an early probe that proves nothing lets a waiting message probe immediately", () => {
  const { admit, probe, breakDown, getRemainingMs } = setUp();
  breakDown();
  assert.equal(getRemainingMs(), 30 * SECOND_MS);
  assert.equal(admit(), "held");
  probe({ kind: "rejected", reason: { code: "payload_too_large", detail: null } }, { isNew: true });
  assert.equal(admit(), "probe");
});

test("a clock correction makes the probe due for refused credentials, but not for a failing service", () => {
  const refused = setUp();
  refused.record(REFUSED);
  refused.clock.offset = 59 * SECOND_MS;
  assert.equal(refused.admit(), "held", "services tolerate such an error");
  refused.clock.offset = -MINUTE_MS;
  refused.probe(createFailure());
  assert.equal(refused.admit(), "held", "a correction allows one probe");
  refused.clock.offset = 0;
  refused.probe(REFUSED);
  assert.equal(refused.admit(), "held", "the refusal has another reason");

  const failing = setUp();
  failing.breakDown();
  failing.clock.offset = -MINUTE_MS;
  assert.equal(failing.admit(), "held");
});

test("a failing service that throttles gets no probe before the throttle ends", () => {
  const { breaker, clock, admit, record, breakDown } = setUp();
  breakDown();
  // Two probes are under way when the other response arrives.
  assert.equal(admit({ deviceId: "laptop" }), "probe");
  assert.equal(record(createThrottle(MINUTE_MS)), null);
  assert.equal(breaker.getHold(clock.now)?.until, START_MS + MINUTE_MS);
  assert.equal(record(null, { deviceId: "laptop", isProbe: true }), null);
  assert.equal(breaker.isProbeDue(clock.now), false);
  assert.equal(admit({ isNew: true }), "held");
  assert.equal(admit({ deviceId: "tablet" }), "held");
  clock.now += MINUTE_MS;
  assert.equal(breaker.isProbeDue(clock.now), true);
  assert.equal(admit(), "probe");
});

test("a service that fails while it throttles is probed after the throttle", () => {
  const { record, breakDown, getRemainingMs } = setUp();
  assert.equal(record(createThrottle(MINUTE_MS)), "held");
  breakDown();
  assert.equal(getRemainingMs(), MINUTE_MS);
});

test("each failed probe admits five more devices without a failure", () => {
  const { clock, admit, probe, breakDown } = setUp();
  breakDown();
  for (const deviceId of ["a", "b", "c", "d", "e"]) probe(createFailure(), { deviceId });
  assert.equal(admit({ deviceId: "f" }), "held");
  clock.now += 30 * SECOND_MS;
  probe(createFailure());
  assert.equal(admit({ deviceId: "a" }), "held");
  assert.equal(admit({ deviceId: "f" }), "probe");
});

test("the delays between probes restart with each outage, and stay at most a minute for an unreachable service", () => {
  const { clock, probe, breakDown, getRemainingMs } = setUp();
  const listProbeDelays = (code: ReasonCode, count: number) => {
    breakDown(code);
    return Array.from({ length: count }, () => {
      const waitMs = getRemainingMs();
      clock.now += waitMs;
      probe(createFailure(code));
      return waitMs / SECOND_MS;
    });
  };
  const recover = () => {
    clock.now += getRemainingMs();
    assert.equal(probe(ACCEPTED), "released");
  };
  assert.deepEqual(listProbeDelays("transient", 3), [30, 60, 120]);
  recover();
  assert.deepEqual(listProbeDelays("transient", 2), [30, 60]);
  recover();
  assert.deepEqual(listProbeDelays("unreachable", 4), [30, 60, 60, 60]);
});

test("refused credentials stay the cause after any failed probe", () => {
  const { breaker, clock, record, probe } = setUp();
  assert.equal(record(REFUSED), "held");
  clock.now += 5 * MINUTE_MS;
  assert.equal(probe(REFUSED), null);
  assert.equal(breaker.getTrouble(clock.now)?.since, START_MS);
  clock.now += 5 * MINUTE_MS;
  assert.equal(probe(createFailure("unreachable")), null);
  const { cause, since, until } = breaker.getTrouble(clock.now) ?? assert.fail("It is released.");
  assert.deepEqual([cause, since, until], ["credentials", START_MS, clock.now + 5 * MINUTE_MS]);
});

test("a probe sent when the trouble began can end it; another response of that time cannot", () => {
  const { record, probe, breakDown } = setUp();
  breakDown();
  assert.equal(record(ACCEPTED), null);
  assert.equal(probe(ACCEPTED, { isNew: true }), "released");
});

test("an extended throttle keeps its start, and no response ends it", () => {
  const { breaker, clock, admit, record } = setUp();
  assert.equal(record(createThrottle(10 * SECOND_MS)), "held");
  clock.now += 5 * SECOND_MS;
  assert.equal(record(ACCEPTED), null);
  assert.equal(admit(), "held");
  assert.equal(record(createThrottle(10 * SECOND_MS)), null);
  const { since, until } = breaker.getHold(clock.now) ?? assert.fail("It is over.");
  assert.deepEqual([since, until], [START_MS, START_MS + 15 * SECOND_MS]);
  clock.now += 10 * SECOND_MS;
  assert.equal(record(createThrottle(SECOND_MS)), "held");
  assert.equal(breaker.getHold(clock.now)?.since, clock.now);
});

test("a device that failed before the service's last response may still probe", () => {
  const { admit, record } = setUp();
  record(createFailure(), { deviceId: "laptop" });
  record(ACCEPTED, { deviceId: "tablet" });
  for (let count = 0; count < 5; count += 1) record(createFailure());
  assert.equal(admit(), "held");
  assert.equal(admit({ deviceId: "laptop" }), "probe");
});

test("five failures hold a service that was busy a minute ago, but not one that is busy now", () => {
  const createBusyService = () => {
    const { clock, record } = setUp();
    for (let count = 0; count < 1_000; count += 1) record(ACCEPTED);
    return { clock, fail: () => record(createFailure()) };
  };
  const failFourTimes = (fail: () => unknown) => [1, 2, 3, 4].map(() => fail());
  const busy = createBusyService();
  busy.clock.now += 59 * SECOND_MS;
  assert.deepEqual([...failFourTimes(busy.fail), busy.fail()], [null, null, null, null, null]);
  const idle = createBusyService();
  idle.clock.now += 60 * SECOND_MS;
  assert.deepEqual([...failFourTimes(idle.fail), idle.fail()], [null, null, null, null, "held"]);
});

test("a service is not suspected for five minutes after it accepted a message", () => {
  const { clock, record } = setUp();
  const possibleDeviceRefusal: Outcome = {
    kind: "refused",
    reason: refusal,
    mayConcernOnlyDevice: true,
  };
  record(ACCEPTED, { deviceId: "laptop" });
  clock.now += 5 * MINUTE_MS - 1;
  assert.equal(record(possibleDeviceRefusal), null);
  clock.now += 1;
  assert.equal(record(possibleDeviceRefusal), "suspected");
});

test("requests that fail for lack of local capacity do not hold a service", () => {
  const { breaker, clock, record } = setUp();
  for (let count = 0; count < 10; count += 1) {
    assert.equal(record(createFailure("unreachable", { isInconclusive: true })), null);
  }
  assert.equal(breaker.getTrouble(clock.now), null);
});

test("a refused device waits five minutes, doubling to an hour; an acceptance resets this", () => {
  const { breaker, clock, record } = setUp();
  const possibleDeviceRefusal: Outcome = {
    kind: "refused",
    reason: refusal,
    mayConcernOnlyDevice: true,
  };
  const measureWaitMinutes = () => {
    record(possibleDeviceRefusal);
    const waitMs = (breaker.getDeviceHold("phone", clock.now)?.until ?? 0) - clock.now;
    clock.now += waitMs;
    assert.equal(breaker.getDeviceHold("phone", clock.now), null);
    return waitMs / MINUTE_MS;
  };
  assert.deepEqual(
    [
      measureWaitMinutes(),
      measureWaitMinutes(),
      measureWaitMinutes(),
      measureWaitMinutes(),
      measureWaitMinutes(),
      measureWaitMinutes(),
    ],
    [5, 10, 20, 40, 60, 60],
  );
  record(ACCEPTED);
  assert.equal(measureWaitMinutes(), 5);
});
