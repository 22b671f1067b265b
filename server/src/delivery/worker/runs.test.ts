import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import test from "node:test";
import { pino } from "pino";
import { DeliveryModel } from "../../../test/ports/delivery-model.ts";
import { HeldLease } from "./held-lease.ts";
import { ActiveRuns } from "./runs.ts";

const log = pino({ level: "silent" });
const FIXED_CLOCKS = { now: () => 0, elapsed: () => 0 };

/** Returns a lease of the same job with a given epoch. */
function createLease(epoch: number): HeldLease {
  return new HeldLease({ jobId: "job", epoch, until: 30_000 }, FIXED_CLOCKS);
}

test("up to a thousand slow runs do not count against the limit of runs", () => {
  const clock = { ms: 0 };
  const runs = new ActiveRuns({
    store: new DeliveryModel(() => 0, "node-1"),
    now: () => 0,
    elapsed: () => clock.ms,
    log,
  });
  const leases = Array.from(
    { length: 1_100 },
    (_, index) => new HeldLease({ jobId: `${index}`, epoch: 1, until: 30_000 }, FIXED_CLOCKS),
  );
  const never = new Promise<void>(() => {});
  const begin = (heldLease: HeldLease, kind: "leased" | "claimed" | "quarantined") =>
    runs.begin({ heldLease, kind }, () => never);
  const [first, second, third, ...rest] = leases;
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  begin(first, "claimed");
  begin(second, "leased");
  begin(third, "quarantined");
  clock.ms += 1_999;
  runs.markSlowRuns();
  assert.deepEqual(runs.counts, { leased: 1, claimed: 1, quarantined: 1, slow: 0 });
  clock.ms += 250;
  for (const heldLease of rest) begin(heldLease, "leased");
  runs.markSlowRuns();
  assert.deepEqual(runs.counts, { leased: rest.length, claimed: 0, quarantined: 1, slow: 2 });
  runs.end(first);
  assert.equal(runs.counts.slow, 1);
  clock.ms += 2_000;
  runs.markSlowRuns();
  assert.deepEqual(runs.counts, {
    leased: rest.length - 999,
    claimed: 0,
    quarantined: 1,
    slow: 1_000,
  });
  for (const heldLease of leases) runs.end(heldLease);
  assert.deepEqual(runs.counts, { leased: 0, claimed: 0, quarantined: 0, slow: 0 });
});

test("a job that is claimed again begins once its earlier run has ended", async () => {
  const store = new DeliveryModel(() => 0, "node-1");
  const runs = new ActiveRuns({ store, ...FIXED_CLOCKS, log });
  const first = createLease(1);
  const second = createLease(2);
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const steps: string[] = [];
  const createWork = (heldLease: HeldLease, name: string, end: Promise<void>) => async () => {
    steps.push(`${name} begins`);
    await end;
    steps.push(`${name} ends`);
    runs.end(heldLease);
  };
  runs.begin({ heldLease: first, kind: "leased" }, createWork(first, "first", ends[0].promise));
  runs.begin({ heldLease: second, kind: "claimed" }, createWork(second, "second", ends[1].promise));
  assert.deepEqual([first.signal.aborted, second.signal.aborted], [true, false]);
  assert.deepEqual(runs.counts, { leased: 0, claimed: 1, quarantined: 0, slow: 0 });
  const idle = runs.waitUntilIdle().then(() => steps.push("idle"));
  await turn();
  assert.deepEqual(steps, ["first begins"]);
  ends[0].resolve();
  await turn();
  ends[1].resolve();
  await idle;
  const expected = ["first begins", "first ends", "second begins", "second ends", "idle"];
  assert.deepEqual(steps, expected);
  assert.deepEqual(runs.counts, { leased: 0, claimed: 0, quarantined: 0, slow: 0 });
});
