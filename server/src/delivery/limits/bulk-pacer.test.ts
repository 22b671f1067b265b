import assert from "node:assert/strict";
import test from "node:test";
import { BulkPacer } from "./bulk-pacer.ts";

const waitForNextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Returns a bulk pacer with waiting attempts, the list of those that have begun, and a function that passes time. */
function startBulk(attemptCount: number) {
  const clock = { now: 0 };
  const bulkPacer = new BulkPacer(() => clock.now);
  const begunIndexes: number[] = [];
  for (let index = 0; index < attemptCount; index += 1) {
    void bulkPacer.waitToBegin().then(() => begunIndexes.push(index));
  }
  /** Returns how many attempts begin in a turn of the event loop after `ms` milliseconds. */
  const countBegunAfter = async (ms: number) => {
    const countBefore = begunIndexes.length;
    clock.now += ms;
    await waitForNextTurn();
    return begunIndexes.length - countBefore;
  };
  return { bulkPacer, begunIndexes, countBegunAfter };
}

test("one more attempt begins in each short turn, and half as many after a long turn", async () => {
  const { begunIndexes, countBegunAfter } = startBulk(100);
  const counts: number[] = [];
  for (const ms of [1, 1, 2, 1, 3, 1, 1, 9, 9, 9]) counts.push(await countBegunAfter(ms));
  assert.deepEqual(counts, [1, 2, 3, 4, 2, 3, 4, 2, 1, 1]);
  assert.deepEqual(
    begunIndexes,
    begunIndexes.map((_, index) => index),
  );
});

test("an attempt that waits alone does not raise the limit", async () => {
  const { bulkPacer, countBegunAfter } = startBulk(0);
  for (let round = 0; round < 40; round += 1) {
    void bulkPacer.waitToBegin();
    await countBegunAfter(1);
  }
  const begunIndexes: number[] = [];
  for (let index = 0; index < 40; index += 1)
    void bulkPacer.waitToBegin().then(() => begunIndexes.push(index));
  await countBegunAfter(1);
  assert.ok(begunIndexes.length <= 3, `${begunIndexes.length} began at once`);
});

test("only one attempt begins in a turn once other sends run", async () => {
  const { bulkPacer, countBegunAfter } = startBulk(60);
  for (let round = 0; round < 9; round += 1) await countBegunAfter(1);
  bulkPacer.slowDown();
  assert.equal(await countBegunAfter(1), 1);
});

test("two chunks are read concurrently, and each one that has begun admits exactly one more", async () => {
  const { bulkPacer } = startBulk(0);
  const admitNext: (() => void)[] = [];
  const enter = async () => void admitNext.push(await bulkPacer.enterChunk());
  for (let index = 0; index < 12; index += 1) void enter();
  await waitForNextTurn();
  assert.equal(admitNext.length, 2);
  admitNext[0]?.();
  admitNext[0]?.();
  await waitForNextTurn();
  assert.equal(admitNext.length, 3);
});

test("one attempt begins every four milliseconds while other sends run", async () => {
  const bulkPacer = new BulkPacer(() => performance.now());
  bulkPacer.slowDown();
  const startedAt = performance.now();
  const attempts = [bulkPacer.waitToBegin(), bulkPacer.waitToBegin()];
  await waitForNextTurn();
  await waitForNextTurn();
  await Promise.all(attempts);
  assert.ok(performance.now() - startedAt >= 7);
});
