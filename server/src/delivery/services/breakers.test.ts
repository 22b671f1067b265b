import assert from "node:assert/strict";
import test from "node:test";
import type { Outcome } from "#providers/provider.ts";
import { Breakers, type ServiceChange } from "./breakers.ts";

const ACCEPTED: Outcome = { kind: "accepted", receipt: null };
const REFUSED: Outcome = {
  kind: "refused",
  reason: { code: "provider_misconfigured", detail: "Apple answered 403" },
};

const ALONE = { deviceId: "phone", isNew: true, isFirstAlone: true };

function bench() {
  const changes: ServiceChange[] = [];
  const back: string[] = [];
  const rates: number[] = [];
  const clock = { now: 1_000_000, aheadMs: 0 };
  const breakers = new Breakers({
    now: () => clock.now + clock.aheadMs,
    elapsed: () => clock.now,
    nodeId: "node",
    onChange: (change) => changes.push(change),
    onBack: (service, perSecond) => {
      back.push(service);
      rates.push(perSecond);
    },
  });
  const attempt = async (service: string, outcome: Outcome) => {
    const admission = await breakers.admit(service, ALONE);
    if (admission.kind === "held") return "held";
    const { isProbe } = admission;
    breakers.note(service, { deviceId: "phone", outcome, isProbe, startedAt: clock.now });
    return "sent";
  };
  return { breakers, changes, back, rates, clock, attempt };
}

test("the first message to a service goes alone, and a refusal of it spares the others", async () => {
  const { breakers, clock } = bench();
  const first = await breakers.admit("apns production", ALONE);
  assert.deepEqual(first, { kind: "go", isProbe: false, epoch: "node 0" });
  const others = Promise.all([1, 2, 3].map(() => breakers.admit("apns production", ALONE)));
  const refused = { outcome: REFUSED, isProbe: false, startedAt: clock.now };
  breakers.note("apns production", { deviceId: "phone", ...refused });
  const kinds = (await others).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["held", "held", "held"]);
});

test("the others do not wait for a first message that hangs", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { breakers } = bench();
  await breakers.admit("fcm", ALONE);
  const other = breakers.admit("fcm", ALONE);
  t.mock.timers.tick(1_000);
  assert.deepEqual(await other, { kind: "go", isProbe: false, epoch: "node 0" });
});

test("where the first need not go alone, nobody waits for it", async () => {
  const { breakers } = bench();
  await breakers.admit("webpush a.example", { ...ALONE, isFirstAlone: false });
  const second = await breakers.admit("webpush a.example", { ...ALONE, isFirstAlone: false });
  assert.deepEqual(second, { kind: "go", isProbe: false, epoch: "node 0" });
});

test("the trouble of one service is none of another's", async () => {
  const { breakers, attempt } = bench();
  await attempt("apns production", REFUSED);
  assert.equal(await attempt("apns sandbox", ACCEPTED), "sent");
  assert.equal(await attempt("fcm", ACCEPTED), "sent");
  assert.equal(await attempt("apns production", ACCEPTED), "held");
  assert.deepEqual(breakers.held(), [{ service: "apns production", cause: "credentials" }]);
  assert.equal(breakers.waitOf("fcm", "phone"), null);
});

test("a hold is told once when it begins and once when it ends, with its cause", async () => {
  const { changes, clock, attempt } = bench();
  await attempt("fcm", REFUSED);
  for (let probe = 0; probe < 3; probe += 1) {
    clock.now += 5 * 60_000;
    await attempt("fcm", REFUSED);
  }
  clock.now += 5 * 60_000;
  await attempt("fcm", ACCEPTED);
  const told = changes.map(({ service, kind, hold }) => [service, kind, hold.cause]);
  assert.deepEqual(told, [
    ["fcm", "held", "credentials"],
    ["fcm", "released", "credentials"],
  ]);
});

test("a device held while its service is released waits since before the release, and is let go", async () => {
  const { breakers, clock, attempt } = bench();
  await attempt("fcm", REFUSED);
  clock.now += 5 * 60_000;
  assert.equal((await breakers.admit("fcm", ALONE)).kind, "go");
  const held = breakers.admit("fcm", ALONE);
  const probe = { deviceId: "phone", outcome: ACCEPTED, isProbe: true, startedAt: clock.now };
  breakers.note("fcm", probe);
  const { kind, epoch } = await held;
  assert.equal(kind, "held");
  assert.ok(breakers.isReleasedSince({ service: "fcm", epoch }));
});

test("any number of new push services cannot displace the trouble of another", async () => {
  const { breakers, attempt } = bench();
  await attempt("apns production", REFUSED);
  for (let count = 0; count < 1_500; count += 1) {
    await attempt(`webpush host-${count}.example`, ACCEPTED);
  }
  assert.equal(breakers.held().length, 1);
  assert.equal(await attempt("apns production", ACCEPTED), "held");
});

test("the trouble of a push service that answered is remembered, however many are named that never do", async () => {
  const { breakers, clock, attempt } = bench();
  const reason = { code: "ambiguous", detail: null } as const;
  const silence: Outcome = { kind: "retry", reason, afterMs: null, counted: true };
  await attempt("webpush vendor.example", ACCEPTED);
  for (let count = 0; count < 5; count += 1) await attempt("webpush vendor.example", silence);
  for (let count = 0; count < 1_500; count += 1) await attempt(`webpush ${count}.example`, silence);
  assert.deepEqual(breakers.held(), [{ service: "webpush vendor.example", cause: "failing" }]);
  for (let count = 0; count < 500; count += 1) await attempt("webpush silent.example", silence);
  clock.now += 10 * 60_000;
  const due = ["webpush vendor.example", "webpush silent.example"];
  assert.deepEqual(breakers.takeProbesDue(), due);
});

test("of many services that are held, a few at a time are asked, and each in its turn", async () => {
  const { breakers, clock } = bench();
  const names = Array.from({ length: 50 }, (_, index) => `webpush ${index}.example`);
  breakers.inherit(names);
  clock.now += 30_000;
  const rounds = [1, 2, 3, 4].map(() => breakers.takeProbesDue());
  assert.deepEqual(rounds.flat().toSorted(), names.toSorted());
  assert.deepEqual(
    rounds.map(({ length }) => length),
    [20, 20, 10, 0],
  );
});

test("the first message that a service accepts releases, once, the jobs that waited before this process started", async () => {
  const { breakers, back, attempt } = bench();
  breakers.inherit(["fcm"]);
  await attempt("apns production", ACCEPTED);
  await attempt("fcm", { kind: "retry", reason: REFUSED.reason, afterMs: null, counted: false });
  assert.deepEqual(back, []);
  await attempt("fcm", ACCEPTED);
  await attempt("fcm", ACCEPTED);
  assert.deepEqual(back, ["fcm"]);
});

test("a service is asked again in its usual time after the clock was set back by a day", async () => {
  const { breakers, clock, attempt } = bench();
  clock.now = 100 * DAY;
  await attempt("fcm", REFUSED);
  clock.now += 5 * 60_000;
  assert.deepEqual(breakers.takeProbesDue(), ["fcm"]);
  const asked = await breakers.admit("fcm", ALONE);
  assert.equal(asked.kind, "go");
  clock.aheadMs = -DAY;
  // The one that is under way may still tell.
  assert.deepEqual(breakers.takeProbesDue(), []);
  assert.equal(breakers.nextProbeAt(), clock.now - DAY + 30_000);
  const probe = { deviceId: "phone", outcome: REFUSED, isProbe: true, startedAt: clock.now };
  breakers.note("fcm", probe);
  clock.now += 5 * 60_000;
  assert.deepEqual(breakers.takeProbesDue(), ["fcm"]);
});

test("a throttle lasts as long as it was to, wherever the wall clock is set meanwhile", async () => {
  const { breakers, clock, attempt } = bench();
  const reason = { code: "rate_limited", detail: null } as const;
  await attempt("fcm", { kind: "retry", reason, afterMs: 60_000, isForAll: true, counted: false });
  clock.now += 20_000;
  for (const aheadMs of [-DAY, 0, DAY]) {
    clock.aheadMs = aheadMs;
    const { since, until } = breakers.waitOf("fcm", "phone") ?? { since: 0, until: 0 };
    assert.deepEqual([since, until], [1_000_000 + aheadMs, 1_060_000 + aheadMs]);
  }
  clock.now += 40_000;
  assert.equal(breakers.waitOf("fcm", "phone"), null);
});

const DAY = 86_400_000;

test("the end of a throttle releases its jobs, at the rate at which the service took messages", async () => {
  const { breakers, back, rates, clock, attempt } = bench();
  const reason = { code: "rate_limited", detail: null } as const;
  for (let count = 0; count < 20; count += 1) await attempt("fcm", ACCEPTED);
  await attempt("fcm", { kind: "retry", reason, afterMs: 60_000, isForAll: true, counted: false });
  const wait = { service: "fcm", epoch: breakers.epochOf("fcm") };
  breakers.endThrottles();
  assert.deepEqual(back, []);
  assert.equal(breakers.nextProbeAt(), clock.now + 60_000);
  clock.now += 60_000;
  breakers.endThrottles();
  breakers.endThrottles();
  assert.deepEqual([back, rates], [["fcm"], [2]]);
  assert.equal(breakers.mayAskAgain(wait), true);
});

test("the end of a throttle releases its jobs where a new message comes first", async () => {
  const { back, clock, attempt } = bench();
  const reason = { code: "rate_limited", detail: null } as const;
  await attempt("fcm", { kind: "retry", reason, afterMs: 60_000, isForAll: true, counted: false });
  clock.now += 60_000;
  await attempt("fcm", ACCEPTED);
  assert.deepEqual(back, ["fcm"]);
});

test("a process that sends another's waiting job releases the others once their service answers", async () => {
  const { breakers, back, attempt } = bench();
  const own = { service: "apns production", epoch: breakers.epochOf("apns production") };
  breakers.inheritWaits([
    { waitsFor: { service: "fcm", epoch: "other 3" } },
    { waitsFor: own },
    { waitsFor: null },
  ]);
  await attempt("apns production", ACCEPTED);
  assert.deepEqual(back, []);
  await attempt("fcm", ACCEPTED);
  assert.deepEqual(back, ["fcm"]);
});

test("of a service that others waited for, somebody is asked again until it answers or nobody waits", () => {
  const { breakers, clock } = bench();
  breakers.inherit(["fcm"]);
  assert.deepEqual(breakers.takeProbesDue(), []);
  assert.equal(breakers.nextProbeAt(), clock.now + 30_000);
  clock.now += 30_000;
  assert.deepEqual(breakers.takeProbesDue(), ["fcm"]);
  assert.deepEqual(breakers.takeProbesDue(), []);
  breakers.disinherit("fcm");
  assert.equal(breakers.nextProbeAt(), null);
});
