import assert from "node:assert/strict";
import test from "node:test";
import { Semaphore } from "./semaphore.ts";

test("tasks run concurrently up to the number of permits, and all of them run", async () => {
  const semaphore = new Semaphore(3);
  let running = 0;
  let peak = 0;
  const work = async () => {
    running += 1;
    peak = Math.max(peak, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => semaphore.use(work)));
  assert.equal(peak, 3);
});

test("failed work releases its permit", async () => {
  const semaphore = new Semaphore(1);
  await assert.rejects(semaphore.use(() => Promise.reject(new Error("failed"))));
  assert.equal(await semaphore.use(async () => "done"), "done");
});

test("waiters are admitted in order, and an aborted waiter takes no permit", async () => {
  const semaphore = new Semaphore(1);
  const release = await semaphore.acquire();
  assert.equal(semaphore.tryAcquire(), null);
  const controller = new AbortController();
  const admitted: string[] = [];
  const wait = async (name: string, signal?: AbortSignal) => {
    const releaseAcquired = await semaphore.acquire(signal);
    admitted.push(name);
    return releaseAcquired;
  };
  const firstPermit = wait("first", controller.signal);
  const secondPermit = wait("second");
  const thirdPermit = wait("third");
  controller.abort(new Error("left"));
  await assert.rejects(firstPermit, /left/);
  release();
  // A second release must not take the permit from its next holder.
  release();
  const releaseSecond = await secondPermit;
  assert.deepEqual(admitted, ["second"]);
  assert.equal(semaphore.tryAcquire(), null);
  releaseSecond();
  const releaseThird = await thirdPermit;
  releaseThird();
  assert.deepEqual(admitted, ["second", "third"]);
  assert.notEqual(semaphore.tryAcquire(), null);
  await assert.rejects(semaphore.acquire(controller.signal), /left/);
});
