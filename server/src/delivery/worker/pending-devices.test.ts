import assert from "node:assert/strict";
import test from "node:test";
import { TestClock } from "../../../test/support/test-clock.ts";
import { createPendingDevices } from "../delivery.ts";
import { PendingDevices } from "./pending-devices.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function setUp(waitMs: number) {
  const clock = new TestClock();
  const [device] = createPendingDevices(["phone"], clock.now() + waitMs);
  assert.ok(device !== undefined);
  return { clock, device, pending: new PendingDevices(clock, [device]) };
}

test("a wait keeps its length if the wall clock is set back meanwhile", () => {
  const { clock, pending } = setUp(40 * MINUTE_MS);
  const listDevices = pending.snapshot();
  const listRemainingMs = () => listDevices().map(({ runAt }) => runAt - clock.now());
  clock.advance(10 * MINUTE_MS);
  assert.deepEqual(listRemainingMs(), [30 * MINUTE_MS]);
  clock.advance(-DAY_MS);
  assert.deepEqual(listRemainingMs(), [30 * MINUTE_MS]);
  clock.advance(10 * MINUTE_MS);
  assert.deepEqual(listRemainingMs(), [20 * MINUTE_MS]);
});

test("a small correction of the wall clock or a jump ahead changes no retry time", () => {
  const { clock, device, pending } = setUp(40 * MINUTE_MS);
  clock.advance(-1_000);
  assert.deepEqual(pending.snapshot()(), [device]);
  const withStoppedElapsed = new PendingDevices({ now: clock.now, elapsed: () => 0 }, [device]);
  clock.advance(50 * MINUTE_MS);
  assert.deepEqual(withStoppedElapsed.snapshot()(), [device]);
});

test("a snapshot holds the devices that were pending when it was created", () => {
  const { device, pending } = setUp(0);
  const listSnapshotDevices = pending.snapshot();
  pending.set({ ...device, tries: 1 });
  assert.equal(pending.get("phone")?.tries, 1);
  pending.delete("phone");
  assert.equal(pending.get("phone"), null);
  assert.equal(pending.size, 0);
  assert.deepEqual(listSnapshotDevices(), [device]);
});
