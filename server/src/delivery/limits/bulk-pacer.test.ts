import assert from "node:assert/strict";
import test from "node:test";
import { BulkPacer } from "./bulk-pacer.ts";

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

/** Returns a bulk pacer with so many waiting attempts, those that have begun, and a way to pass time. */
function startBulk(waiting: number) {
  const clock = { now: 0 };
  const bulkPacer = new BulkPacer(() => clock.now);
  const begun: number[] = [];
  for (let index = 0; index < waiting; index += 1) {
    void bulkPacer.turn().then(() => begun.push(index));
  }
  /** Returns how many begin in a turn of the event loop after so many milliseconds. */
  const turnAfter = async (ms: number) => {
    const before = begun.length;
    clock.now += ms;
    await turnOfLoop();
    return begun.length - before;
  };
  return { bulkPacer, begun, turnAfter };
}

test("while turns are short one more begins in each, and half as many after a long one", async () => {
  const { begun, turnAfter } = startBulk(100);
  const counts: number[] = [];
  for (const ms of [1, 1, 2, 1, 3, 1, 1, 9, 9, 9]) counts.push(await turnAfter(ms));
  assert.deepEqual(counts, [1, 2, 3, 4, 2, 3, 4, 2, 1, 1]);
  assert.deepEqual(
    begun,
    begun.map((_, index) => index),
  );
});

test("an attempt that waited alone does not raise how many may begin together", async () => {
  const { bulkPacer, turnAfter } = startBulk(0);
  for (let time = 0; time < 40; time += 1) {
    void bulkPacer.turn();
    await turnAfter(1);
  }
  const begun: number[] = [];
  for (let index = 0; index < 40; index += 1) void bulkPacer.turn().then(() => begun.push(index));
  await turnAfter(1);
  assert.ok(begun.length <= 3, `${begun.length} began at once`);
});

test("once others send, only one begins, however many did before", async () => {
  const { bulkPacer, turnAfter } = startBulk(60);
  for (let time = 0; time < 9; time += 1) await turnAfter(1);
  bulkPacer.giveWay();
  assert.equal(await turnAfter(1), 1);
});

test("two chunks are read at once, and each that has begun lets in one more, once", async () => {
  const { bulkPacer } = startBulk(0);
  const leaves: (() => void)[] = [];
  const enter = async () => void leaves.push(await bulkPacer.enter());
  for (let index = 0; index < 12; index += 1) void enter();
  await turnOfLoop();
  assert.equal(leaves.length, 2);
  leaves[0]?.();
  leaves[0]?.();
  await turnOfLoop();
  assert.equal(leaves.length, 3);
});

test("while others send, one attempt begins in four milliseconds", async () => {
  const bulkPacer = new BulkPacer(() => performance.now());
  bulkPacer.giveWay();
  const since = performance.now();
  const begun = [bulkPacer.turn(), bulkPacer.turn()];
  await turnOfLoop();
  await turnOfLoop();
  await Promise.all(begun);
  assert.ok(performance.now() - since >= 7);
});
