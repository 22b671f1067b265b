import assert from "node:assert/strict";
import test from "node:test";
import type { Outcome } from "#providers/provider.ts";
import { Breakers } from "./breakers.ts";

const ACCEPTED: Outcome = { kind: "accepted", receipt: null };
const reason = { code: "provider_misconfigured", detail: null } as const;
const REFUSED: Outcome = { kind: "refused", reason };
const SILENCE: Outcome = {
  kind: "retry",
  reason: { code: "ambiguous", detail: null },
  afterMs: null,
  counted: true,
};
const ALONE = { deviceId: "phone", isNew: true, isFirstAlone: true };
const MINUTE = 60_000;
/** So many services that anybody can name are remembered. */
const KNOWN_MAX = 1_000;

function bench() {
  const back: string[] = [];
  const clock = { now: 1_000_000 };
  const breakers = new Breakers({
    now: () => clock.now,
    elapsed: () => clock.now,
    nodeId: "node",
    onChange() {},
    onBack: (service) => back.push(service),
  });
  const attempt = async (service: string, outcome: Outcome) => {
    const admission = await breakers.admit(service, ALONE);
    if (admission.kind === "held") return "held";
    const { isProbe } = admission;
    breakers.note(service, { deviceId: "phone", outcome, isProbe, startedAt: clock.now });
    return "sent";
  };
  const breakDown = async (service: string) => {
    for (let count = 0; count < 5; count += 1) await attempt(service, SILENCE);
  };
  const nameMore = async (count: number) => {
    for (let index = 0; index < count; index += 1)
      await attempt(`webpush ${index}.example`, SILENCE);
  };
  return { breakers, back, clock, attempt, breakDown, nameMore };
}

test("the outcome of the first message lets the others go without a wait", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { breakers, clock } = bench();
  await breakers.admit("fcm", ALONE);
  const others = Promise.all([1, 2].map(() => breakers.admit("fcm", ALONE)));
  const noted = { deviceId: "phone", outcome: ACCEPTED, isProbe: false, startedAt: clock.now };
  breakers.note("fcm", noted);
  assert.deepEqual(
    (await others).map(({ kind }) => kind),
    ["go", "go"],
  );
});

test("a service of others' jobs is no sooner and no later asked for being met again", () => {
  const { breakers, clock } = bench();
  const waitsFor = { service: "fcm", epoch: "other 1" };
  breakers.inheritWaits([{ waitsFor }]);
  clock.now += 29_999;
  breakers.inheritWaits([{ waitsFor }]);
  assert.deepEqual(breakers.takeProbesDue(), []);
  clock.now += 1;
  assert.deepEqual(breakers.takeProbesDue(), ["fcm"]);
});

test("of the services of others' jobs a thousand are kept", () => {
  const { breakers, clock } = bench();
  const pending = Array.from({ length: KNOWN_MAX + 100 }, (_, index) => {
    return { waitsFor: { service: `webpush ${index}.example`, epoch: "other 1" } };
  });
  breakers.inheritWaits(pending);
  clock.now += MINUTE;
  let count = 0;
  for (let some = breakers.takeProbesDue(); some.length > 0; some = breakers.takeProbesDue()) {
    count += some.length;
  }
  assert.equal(count, KNOWN_MAX);
});

test("a service that refuses our credentials releases no jobs of others", async () => {
  const { breakers, back, attempt } = bench();
  breakers.inherit(["fcm"]);
  await attempt("fcm", REFUSED);
  assert.deepEqual(back, []);
  // Nor does the end of a wait that was recorded late.
  breakers.releaseAgain("fcm");
  breakers.releaseAgain("apns production");
  assert.deepEqual(back, []);
});

test("services that ever answered are probed first, then those that were asked longest ago", async () => {
  const { breakers, clock, attempt, breakDown } = bench();
  await breakDown("webpush silent.example");
  await attempt("webpush vendor.example", ACCEPTED);
  clock.now += 1;
  await breakDown("webpush vendor.example");
  clock.now += 10 * MINUTE;
  const due = ["webpush vendor.example", "webpush silent.example"];
  assert.deepEqual(breakers.takeProbesDue(), due);
  const others = bench();
  others.breakers.inherit(["b"]);
  others.clock.now += 1;
  others.breakers.inherit(["a"]);
  others.clock.now += 1;
  others.breakers.inherit(["b"]);
  others.clock.now += MINUTE;
  assert.deepEqual(others.breakers.takeProbesDue(), ["a", "b"]);
});

test("a push service that is forgotten for newer ones takes its trouble along", async () => {
  const { breakers, breakDown, nameMore } = bench();
  await breakDown("webpush a.example");
  assert.equal(breakers.held().length, 1);
  await nameMore(KNOWN_MAX);
  assert.deepEqual(breakers.held(), []);
});

test("a push service that is used is not the one that is forgotten", async () => {
  const { attempt, breakDown, nameMore } = bench();
  await breakDown("webpush a.example");
  await nameMore(KNOWN_MAX - 1);
  await attempt("webpush a.example", SILENCE);
  await attempt("webpush newest.example", SILENCE);
  assert.equal(await attempt("webpush a.example", SILENCE), "held");
});
