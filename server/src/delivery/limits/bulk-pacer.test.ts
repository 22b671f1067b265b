import assert from "node:assert/strict";
import test from "node:test";
import { BulkPacer } from "./bulk-pacer.ts";

const nextLoopTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Returns a bulk pacer with `waiting` attempts, the list of attempts that have begun, and a function that passes time. */
function startBulk(waiting: number) {
  const clock = { now: 0 };
  const bulkPacer = new BulkPacer(() => clock.now);
  const begun: number[] = [];
  for (let index = 0; index < waiting; index += 1) {
    void bulkPacer.turn().then(() => begun.push(index));
  }
  /** Returns how many attempts begin in a turn of the event loop after `ms` milliseconds. */
  const turnAfter = async (ms: number) => {
    const before = begun.length;
    clock.now += ms;
    await nextLoopTurn();
    return begun.length - before;
  };
  return { bulkPacer, begun, turnAfter };
}

test("one more attempt begins in each short turn, and half as many after a long turn", async () => {
  const { begun, turnAfter } = startBulk(100);
  const counts: number[] = [];
  for (const ms of [1, 1, 2, 1, 3, 1, 1, 9, 9, 9]) counts.push(await turnAfter(ms));
  assert.deepEqual(counts, [1, 2, 3, 4, 2, 3, 4, 2, 1, 1]);
  assert.deepEqual(
    begun,
    begun.map((_, index) => index),
  );
});

test("an attempt that waits by itself does not raise the limit", async () => {
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

test("only one attempt begins once other sends run", async () => {
  const { bulkPacer, turnAfter } = startBulk(60);
  for (let time = 0; time < 9; time += 1) await turnAfter(1);
  bulkPacer.giveWay();
  assert.equal(await turnAfter(1), 1);
});

test("two chunks are read concurrently, and each one that has begun admits one more", async () => {
  const { bulkPacer } = startBulk(0);
  const leaves: (() => void)[] = [];
  const enter = async () => void leaves.push(await bulkPacer.enter());
  for (let index = 0; index < 12; index += 1) void enter();
  await nextLoopTurn();
  assert.equal(leaves.length, 2);
  leaves[0]?.();
  leaves[0]?.();
  await nextLoopTurn();
  assert.equal(leaves.length, 3);
});

test("one attempt begins every four milliseconds while other sends run", async () => {
  const bulkPacer = new BulkPacer(() => performance.now());
  bulkPacer.giveWay();
  const startedAt = performance.now();
  const begun = [bulkPacer.turn(), bulkPacer.turn()];
  await nextLoopTurn();
  await nextLoopTurn();
  await Promise.all(begun);
  assert.ok(performance.now() - startedAt >= 7);
});
