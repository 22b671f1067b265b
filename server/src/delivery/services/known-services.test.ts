import assert from "node:assert/strict";
import test from "node:test";
import type { Outcome } from "#providers/provider.ts";
import { Breakers } from "./breakers.ts";

const ACCEPTED: Outcome = { kind: "accepted", receipt: null };
const reason = { code: "provider_misconfigured", detail: null } as const;
const REFUSED: Outcome = { kind: "refused", reason };
const AMBIGUOUS: Outcome = {
  kind: "retry",
  reason: { code: "ambiguous", detail: null },
  afterMs: null,
  isCounted: true,
};
const CANDIDATE = { deviceId: "phone", isNew: true, shouldAwaitFirst: true };
const MINUTE_MS = 60_000;
/** Maximum number of remembered services that any account can add. */
const SERVICES_MAX = 1_000;

function setUp() {
  const released: string[] = [];
  const clock = { now: 1_000_000 };
  const breakers = new Breakers({
    now: () => clock.now,
    elapsed: () => clock.now,
    nodeId: "node",
    onChange() {},
    onReleased: (service) => released.push(service),
  });
  const attempt = async (service: string, outcome: Outcome) => {
    const admission = await breakers.admit(service, CANDIDATE);
    if (admission.kind === "held") return "held";
    const { isProbe } = admission;
    breakers.recordOutcome(service, { deviceId: "phone", outcome, isProbe, startedAt: clock.now });
    return "sent";
  };
  const breakDown = async (service: string) => {
    for (let count = 0; count < 5; count += 1) await attempt(service, AMBIGUOUS);
  };
  const addServices = async (count: number) => {
    for (let index = 0; index < count; index += 1)
      await attempt(`webpush ${index}.example`, AMBIGUOUS);
  };
  return { breakers, released, clock, attempt, breakDown, addServices };
}

test("the outcome of the first message admits the others immediately", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { breakers, clock } = setUp();
  await breakers.admit("fcm", CANDIDATE);
  const otherAdmissions = Promise.all([1, 2].map(async () => breakers.admit("fcm", CANDIDATE)));
  const attempt = { deviceId: "phone", outcome: ACCEPTED, isProbe: false, startedAt: clock.now };
  breakers.recordOutcome("fcm", attempt);
  assert.deepEqual(
    (await otherAdmissions).map(({ kind }) => kind),
    ["go", "go"],
  );
});

test("inheriting a service again does not change the time of its probe", () => {
  const { breakers, clock } = setUp();
  const waitsFor = { service: "fcm", epoch: "other 1" };
  breakers.inheritWaits([{ waitsFor }]);
  clock.now += 29_999;
  breakers.inheritWaits([{ waitsFor }]);
  assert.deepEqual(breakers.takeServicesToProbe(), []);
  clock.now += 1;
  assert.deepEqual(breakers.takeServicesToProbe(), ["fcm"]);
});

test("a process keeps at most a thousand services of other processes' jobs", () => {
  const { breakers, clock } = setUp();
  const pending = Array.from({ length: SERVICES_MAX + 100 }, (_, index) => {
    return { waitsFor: { service: `webpush ${index}.example`, epoch: "other 1" } };
  });
  breakers.inheritWaits(pending);
  clock.now += MINUTE_MS;
  let count = 0;
  for (
    let batch = breakers.takeServicesToProbe();
    batch.length > 0;
    batch = breakers.takeServicesToProbe()
  ) {
    count += batch.length;
  }
  assert.equal(count, SERVICES_MAX);
});

test("a service that refuses our credentials releases no jobs of other processes", async () => {
  const { breakers, released, attempt } = setUp();
  breakers.inheritServices(["fcm"]);
  await attempt("fcm", REFUSED);
  assert.deepEqual(released, []);
  // A wait that was recorded late does not release them either.
  breakers.releaseAgain("fcm");
  breakers.releaseAgain("apns production");
  assert.deepEqual(released, []);
});

test("services that ever responded are probed first, then services whose last request for a probe is oldest", async () => {
  const { breakers, clock, attempt, breakDown } = setUp();
  await breakDown("webpush silent.example");
  await attempt("webpush vendor.example", ACCEPTED);
  clock.now += 1;
  await breakDown("webpush vendor.example");
  clock.now += 10 * MINUTE_MS;
  const due = ["webpush vendor.example", "webpush silent.example"];
  assert.deepEqual(breakers.takeServicesToProbe(), due);
  const inherited = setUp();
  inherited.breakers.inheritServices(["b"]);
  inherited.clock.now += 1;
  inherited.breakers.inheritServices(["a"]);
  inherited.clock.now += 1;
  inherited.breakers.inheritServices(["b"]);
  inherited.clock.now += MINUTE_MS;
  assert.deepEqual(inherited.breakers.takeServicesToProbe(), ["a", "b"]);
});

test("a push service that newer ones displace is no longer held", async () => {
  const { breakers, breakDown, addServices } = setUp();
  await breakDown("webpush a.example");
  assert.equal(breakers.listHeld().length, 1);
  await addServices(SERVICES_MAX);
  assert.deepEqual(breakers.listHeld(), []);
});

test("a push service that was used recently is not displaced", async () => {
  const { attempt, breakDown, addServices } = setUp();
  await breakDown("webpush a.example");
  await addServices(SERVICES_MAX - 1);
  await attempt("webpush a.example", AMBIGUOUS);
  await attempt("webpush newest.example", AMBIGUOUS);
  assert.equal(await attempt("webpush a.example", AMBIGUOUS), "held");
});
