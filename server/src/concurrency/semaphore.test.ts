import assert from "node:assert/strict";
import test from "node:test";
import { Semaphore } from "./semaphore.ts";

test("no more than the number of places run at once, and everybody has a turn", async () => {
  const semaphore = new Semaphore(3);
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => semaphore.use(work)));
  assert.equal(most, 3);
});

test("work that fails gives its place back", async () => {
  const semaphore = new Semaphore(1);
  await assert.rejects(semaphore.use(() => Promise.reject(new Error("failed"))));
  assert.equal(await semaphore.use(async () => "done"), "done");
});
