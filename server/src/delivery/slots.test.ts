import assert from "node:assert/strict";
import test from "node:test";
import { LaneSlots, Slots } from "./slots.ts";

test("no more than the number of places run at once, and everybody has a turn", async () => {
  const slots = new Slots(3);
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => slots.use(work)));
  assert.equal(most, 3);
});

test("work that fails gives its place back", async () => {
  const slots = new Slots(1);
  await assert.rejects(slots.use(() => Promise.reject(new Error("failed"))));
  assert.equal(await slots.use(async () => "done"), "done");
});

test("a large audience never takes the last places", async () => {
  const slots = new LaneSlots(3, 2);
  const held = Promise.withResolvers<void>();
  const bulk = Array.from({ length: 10 }, () => slots.use(2, () => held.promise));
  assert.equal(await slots.use(0, async () => "at once"), "at once");
  held.resolve();
  await Promise.all(bulk);
});
