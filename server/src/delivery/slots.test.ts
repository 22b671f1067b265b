import assert from "node:assert/strict";
import test from "node:test";
import { Slots } from "./slots.ts";

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
