import assert from "node:assert/strict";
import test from "node:test";
import { Crowd } from "./crowd.ts";

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

test("in each turn of the event loop one attempt begins, in the order of asking", async () => {
  const crowd = new Crowd();
  const begun: number[] = [];
  for (let index = 0; index < 5; index += 1) void crowd.turn().then(() => begun.push(index));
  for (const expected of [[0], [0, 1], [0, 1, 2]]) {
    await turnOfLoop();
    assert.deepEqual(begun, expected);
  }
  await turnOfLoop();
  await turnOfLoop();
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  await crowd.turn();
});

test("two chunks are read at once, and each that has begun lets in one more, once", async () => {
  const crowd = new Crowd();
  const leaves: (() => void)[] = [];
  const enter = async () => void leaves.push(await crowd.enter());
  for (let index = 0; index < 12; index += 1) void enter();
  await turnOfLoop();
  assert.equal(leaves.length, 2);
  leaves[0]?.();
  leaves[0]?.();
  await turnOfLoop();
  assert.equal(leaves.length, 3);
});

test("while others send, one attempt begins in four milliseconds", async () => {
  const crowd = new Crowd();
  crowd.giveWay();
  const since = performance.now();
  const begun = [crowd.turn(), crowd.turn()];
  await turnOfLoop();
  await turnOfLoop();
  await Promise.all(begun);
  assert.ok(performance.now() - since >= 7);
});
