import assert from "node:assert/strict";
import test from "node:test";
import { TestClock } from "../../../test/support/room.ts";
import { untried } from "../delivery.ts";
import { Owed } from "./owed.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function owing(waitMs: number) {
  const clock = new TestClock();
  const [device] = untried(["phone"], clock.now() + waitMs);
  assert.ok(device !== undefined);
  return { clock, device, owed: new Owed(clock, [device]) };
}

test("a wait lasts as long as it was to, also where the wall clock is set back meanwhile", () => {
  const { clock, owed } = owing(40 * MINUTE);
  const waits = owed.snapshot();
  const leftMs = () => waits().map(({ runAt }) => runAt - clock.now());
  clock.advance(10 * MINUTE);
  assert.deepEqual(leftMs(), [30 * MINUTE]);
  clock.advance(-DAY);
  assert.deepEqual(leftMs(), [30 * MINUTE]);
  clock.advance(10 * MINUTE);
  assert.deepEqual(leftMs(), [20 * MINUTE]);
});

test("a wall clock that is merely corrected moves nothing, and one that is set ahead ends the wait", () => {
  const { clock, device, owed } = owing(40 * MINUTE);
  clock.advance(-1_000);
  assert.deepEqual(owed.snapshot()(), [device]);
  const ahead = new Owed({ now: clock.now, elapsed: () => 0 }, [device]);
  clock.advance(50 * MINUTE);
  assert.deepEqual(ahead.snapshot()(), [device]);
});

test("a snapshot holds what was owed when it was made", () => {
  const { device, owed } = owing(0);
  const before = owed.snapshot();
  owed.set({ ...device, tries: 1 });
  assert.equal(owed.get("phone")?.tries, 1);
  owed.delete("phone");
  assert.equal(owed.get("phone"), null);
  assert.equal(owed.size, 0);
  assert.deepEqual(before(), [device]);
});
