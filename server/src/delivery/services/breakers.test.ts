import assert from "node:assert/strict";
import test from "node:test";
import type { Outcome } from "#providers/provider.ts";
import { Breakers } from "./breakers.ts";
import type { ServiceChange } from "./breakers-deps.ts";

const DAY_MS = 86_400_000;
const ACCEPTED: Outcome = { kind: "accepted", receipt: null };
const REFUSED: Outcome = {
  kind: "refused",
  reason: { code: "provider_misconfigured", detail: "Apple answered 403" },
};

const CANDIDATE = { deviceId: "phone", isNew: true, shouldAwaitFirst: true };

function setUp() {
  const changes: ServiceChange[] = [];
  const released: string[] = [];
  const rates: number[] = [];
  const clock = { now: 1_000_000, wallClockAheadMs: 0 };
  const breakers = new Breakers({
    now: () => clock.now + clock.wallClockAheadMs,
    elapsed: () => clock.now,
    nodeId: "node",
    onChange: (change) => changes.push(change),
    onReleased: (service, perSecond) => {
      released.push(service);
      rates.push(perSecond);
    },
  });
  const attempt = async (service: string, outcome: Outcome) => {
    const admission = await breakers.admit(service, CANDIDATE);
    if (admission.kind === "held") return "held";
    const { isProbe } = admission;
    breakers.recordOutcome(service, { deviceId: "phone", outcome, isProbe, startedAt: clock.now });
    return "sent";
  };
  return { breakers, changes, released, rates, clock, attempt };
}

test("the first message to a service is sent alone, and its refusal spares the others", async () => {
  const { breakers, clock } = setUp();
  const first = await breakers.admit("apns production", CANDIDATE);
  assert.deepEqual(first, { kind: "go", isProbe: false, epoch: "node 0" });
  const otherAdmissions = Promise.all(
    [1, 2, 3].map(async () => breakers.admit("apns production", CANDIDATE)),
  );
  const refused = { outcome: REFUSED, isProbe: false, startedAt: clock.now };
  breakers.recordOutcome("apns production", { deviceId: "phone", ...refused });
  const kinds = (await otherAdmissions).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["held", "held", "held"]);
});

test("the others do not wait for a first message that hangs", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { breakers } = setUp();
  await breakers.admit("fcm", CANDIDATE);
  const second = breakers.admit("fcm", CANDIDATE);
  t.mock.timers.tick(1_000);
  assert.deepEqual(await second, { kind: "go", isProbe: false, epoch: "node 0" });
});

test("messages do not wait for the first one unless the provider asks for it", async () => {
  const { breakers } = setUp();
  await breakers.admit("webpush a.example", { ...CANDIDATE, shouldAwaitFirst: false });
  const second = await breakers.admit("webpush a.example", {
    ...CANDIDATE,
    shouldAwaitFirst: false,
  });
  assert.deepEqual(second, { kind: "go", isProbe: false, epoch: "node 0" });
});

test("the trouble of one service does not affect another", async () => {
  const { breakers, attempt } = setUp();
  await attempt("apns production", REFUSED);
  assert.equal(await attempt("apns sandbox", ACCEPTED), "sent");
  assert.equal(await attempt("fcm", ACCEPTED), "sent");
  assert.equal(await attempt("apns production", ACCEPTED), "held");
  assert.deepEqual(breakers.listHeld(), [{ service: "apns production", cause: "credentials" }]);
  assert.equal(breakers.getDeviceHold("fcm", "phone"), null);
});

test("a service that refuses one device is suspected but not held, until it accepts a message", async () => {
  const { breakers, clock, attempt } = setUp();
  await attempt("fcm", { ...REFUSED, kind: "refused", mayConcernOnlyDevice: true });
  assert.deepEqual([breakers.listHeld(), breakers.listSuspected()], [[], ["fcm"]]);
  await attempt("apns production", REFUSED);
  const held = [{ service: "apns production", cause: "credentials" }];
  assert.deepEqual([breakers.listHeld(), breakers.listSuspected()], [held, ["fcm"]]);
  clock.now += 5 * 60_000;
  await attempt("fcm", ACCEPTED);
  assert.deepEqual([breakers.listHeld(), breakers.listSuspected()], [held, []]);
});

test("a hold is reported when it begins and when it ends, with its cause", async () => {
  const { changes, clock, attempt } = setUp();
  await attempt("fcm", REFUSED);
  for (let probe = 0; probe < 3; probe += 1) {
    clock.now += 5 * 60_000;
    await attempt("fcm", REFUSED);
  }
  clock.now += 5 * 60_000;
  await attempt("fcm", ACCEPTED);
  const reported = changes.map(({ service, kind, hold }) => [service, kind, hold.cause]);
  assert.deepEqual(reported, [
    ["fcm", "held", "credentials"],
    ["fcm", "released", "credentials"],
  ]);
});

test("a device that is held while its service is released counts as released", async () => {
  const { breakers, clock, attempt } = setUp();
  await attempt("fcm", REFUSED);
  clock.now += 5 * 60_000;
  assert.equal((await breakers.admit("fcm", CANDIDATE)).kind, "go");
  const heldAdmission = breakers.admit("fcm", CANDIDATE);
  const probe = { deviceId: "phone", outcome: ACCEPTED, isProbe: true, startedAt: clock.now };
  breakers.recordOutcome("fcm", probe);
  const { kind, epoch } = await heldAdmission;
  assert.equal(kind, "held");
  assert.ok(breakers.isReleasedSince({ service: "fcm", epoch }));
});

test("new push services cannot displace a held service of another provider", async () => {
  const { breakers, attempt } = setUp();
  await attempt("apns production", REFUSED);
  for (let count = 0; count < 1_500; count += 1) {
    await attempt(`webpush host-${count}.example`, ACCEPTED);
  }
  assert.equal(breakers.listHeld().length, 1);
  assert.equal(await attempt("apns production", ACCEPTED), "held");
});

test("silent push services cannot displace a held one that responded before", async () => {
  const { breakers, clock, attempt } = setUp();
  const reason = { code: "ambiguous", detail: null } as const;
  const silence: Outcome = { kind: "retry", reason, afterMs: null, isCounted: true };
  await attempt("webpush vendor.example", ACCEPTED);
  for (let count = 0; count < 5; count += 1) await attempt("webpush vendor.example", silence);
  for (let count = 0; count < 1_500; count += 1) await attempt(`webpush ${count}.example`, silence);
  assert.deepEqual(breakers.listHeld(), [{ service: "webpush vendor.example", cause: "failing" }]);
  for (let count = 0; count < 500; count += 1) await attempt("webpush silent.example", silence);
  clock.now += 10 * 60_000;
  const due = ["webpush vendor.example", "webpush silent.example"];
  assert.deepEqual(breakers.takeServicesToProbe(), due);
});

test("many held services are probed in rounds of twenty, each once", async () => {
  const { breakers, clock } = setUp();
  const names = Array.from({ length: 50 }, (_, index) => `webpush ${index}.example`);
  breakers.inheritServices(names);
  clock.now += 30_000;
  const rounds = [1, 2, 3, 4].map(() => breakers.takeServicesToProbe());
  assert.deepEqual(rounds.flat().toSorted(), names.toSorted());
  assert.deepEqual(
    rounds.map(({ length }) => length),
    [20, 20, 10, 0],
  );
});

test("a service's first acceptance releases jobs from before this process started, once", async () => {
  const { breakers, released, attempt } = setUp();
  breakers.inheritServices(["fcm"]);
  await attempt("apns production", ACCEPTED);
  await attempt("fcm", { kind: "retry", reason: REFUSED.reason, afterMs: null, isCounted: false });
  assert.deepEqual(released, []);
  await attempt("fcm", ACCEPTED);
  await attempt("fcm", ACCEPTED);
  assert.deepEqual(released, ["fcm"]);
});

test("a service is probed at its usual time after the clock was set back by a day", async () => {
  const { breakers, clock, attempt } = setUp();
  clock.now = 100 * DAY_MS;
  await attempt("fcm", REFUSED);
  clock.now += 5 * 60_000;
  assert.deepEqual(breakers.takeServicesToProbe(), ["fcm"]);
  const admission = await breakers.admit("fcm", CANDIDATE);
  assert.equal(admission.kind, "go");
  clock.wallClockAheadMs = -DAY_MS;
  // No second probe while one is under way.
  assert.deepEqual(breakers.takeServicesToProbe(), []);
  assert.equal(breakers.getNextProbeAt(), clock.now - DAY_MS + 30_000);
  const probe = { deviceId: "phone", outcome: REFUSED, isProbe: true, startedAt: clock.now };
  breakers.recordOutcome("fcm", probe);
  clock.now += 5 * 60_000;
  assert.deepEqual(breakers.takeServicesToProbe(), ["fcm"]);
});

test("a throttle keeps its length if the wall clock is set meanwhile", async () => {
  const { breakers, clock, attempt } = setUp();
  const reason = { code: "rate_limited", detail: null } as const;
  await attempt("fcm", {
    kind: "retry",
    reason,
    afterMs: 60_000,
    affectsAllDevices: true,
    isCounted: false,
  });
  clock.now += 20_000;
  for (const wallClockAheadMs of [-DAY_MS, 0, DAY_MS]) {
    clock.wallClockAheadMs = wallClockAheadMs;
    const { since, until } = breakers.getDeviceHold("fcm", "phone") ?? { since: 0, until: 0 };
    assert.deepEqual([since, until], [1_000_000 + wallClockAheadMs, 1_060_000 + wallClockAheadMs]);
  }
  clock.now += 40_000;
  assert.equal(breakers.getDeviceHold("fcm", "phone"), null);
});

test("the end of a throttle releases its jobs at the service's usual rate", async () => {
  const { breakers, released, rates, clock, attempt } = setUp();
  const reason = { code: "rate_limited", detail: null } as const;
  for (let count = 0; count < 20; count += 1) await attempt("fcm", ACCEPTED);
  await attempt("fcm", {
    kind: "retry",
    reason,
    afterMs: 60_000,
    affectsAllDevices: true,
    isCounted: false,
  });
  const wait = { service: "fcm", epoch: breakers.getEpoch("fcm") };
  breakers.endThrottles();
  assert.deepEqual(released, []);
  assert.equal(breakers.getNextProbeAt(), clock.now + 60_000);
  clock.now += 60_000;
  breakers.endThrottles();
  breakers.endThrottles();
  assert.deepEqual([released, rates], [["fcm"], [2]]);
  assert.equal(breakers.mayRetry(wait), true);
});

test("the end of a throttle releases its jobs even if a new message comes first", async () => {
  const { released, clock, attempt } = setUp();
  const reason = { code: "rate_limited", detail: null } as const;
  await attempt("fcm", {
    kind: "retry",
    reason,
    afterMs: 60_000,
    affectsAllDevices: true,
    isCounted: false,
  });
  clock.now += 60_000;
  await attempt("fcm", ACCEPTED);
  assert.deepEqual(released, ["fcm"]);
});

test("a process that runs another process's waiting job releases that service's other jobs once it responds", async () => {
  const { breakers, released, attempt } = setUp();
  const ownWait = { service: "apns production", epoch: breakers.getEpoch("apns production") };
  breakers.inheritWaits([
    { waitsFor: { service: "fcm", epoch: "other 3" } },
    { waitsFor: ownWait },
    { waitsFor: null },
  ]);
  await attempt("apns production", ACCEPTED);
  assert.deepEqual(released, []);
  await attempt("fcm", ACCEPTED);
  assert.deepEqual(released, ["fcm"]);
});

test("an inherited service is probed again until it responds or no job waits", () => {
  const { breakers, clock } = setUp();
  breakers.inheritServices(["fcm"]);
  assert.deepEqual(breakers.takeServicesToProbe(), []);
  assert.equal(breakers.getNextProbeAt(), clock.now + 30_000);
  clock.now += 30_000;
  assert.deepEqual(breakers.takeServicesToProbe(), ["fcm"]);
  assert.deepEqual(breakers.takeServicesToProbe(), []);
  breakers.forgetInherited("fcm");
  assert.equal(breakers.getNextProbeAt(), null);
});
