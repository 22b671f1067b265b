import assert from "node:assert/strict";
import test from "node:test";
import { TestClock } from "../../../test/support/test-clock.ts";
import { HeldLease } from "./held-lease.ts";

const DAY_MS = 86_400_000;

function setUp() {
  const clock = new TestClock();
  const until = clock.now() + 30_000;
  return { clock, heldLease: new HeldLease({ jobId: "job", epoch: 1, until }, clock) };
}

test("a request may begin until five seconds before the lease ends, unless it is lost", () => {
  const { clock, heldLease } = setUp();
  clock.advance(25_000);
  assert.equal(heldLease.mayBeginRequest(), true);
  clock.advance(1);
  assert.equal(heldLease.mayBeginRequest(), false);
  heldLease.extend(clock.now() + 30_000);
  assert.equal(heldLease.mayBeginRequest(), true);
  heldLease.lose();
  assert.equal(heldLease.mayBeginRequest(), false);
});

test("a wall clock that is set back does not extend a lease", () => {
  const { clock, heldLease } = setUp();
  const stored = { jobId: "job", epoch: 1, until: clock.now() + 30_000 };
  clock.advance(-DAY_MS);
  const heldLater = new HeldLease(stored, clock);
  clock.advance(25_001);
  assert.equal(heldLease.mayBeginRequest(), false);
  assert.equal(heldLater.mayBeginRequest(), false);
});

test("a wall clock that jumps ahead ends a lease, because other nodes may take the job", () => {
  const { clock, heldLease } = setUp();
  const ahead = { now: () => clock.now() + DAY_MS, elapsed: clock.elapsed };
  const overtaken = new HeldLease(heldLease.lease, ahead);
  assert.equal(overtaken.mayBeginRequest(), false);
  assert.equal(overtaken.isDisplaced, true);
});

test("a lease is displaced once it ended, or after more than a small correction of the clock", () => {
  const { clock, heldLease } = setUp();
  clock.advance(-1_000);
  assert.equal(heldLease.isDisplaced, false);
  clock.advance(-1);
  assert.equal(heldLease.isDisplaced, true);
  heldLease.extend(clock.now() + 30_000);
  assert.equal(heldLease.isDisplaced, false);
  clock.advance(29_999);
  assert.equal(heldLease.isDisplaced, false);
  clock.advance(1);
  assert.equal(heldLease.isDisplaced, true);
});
