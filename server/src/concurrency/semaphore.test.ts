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

test("waiters are admitted in order, and one that gave up takes no place", async () => {
  const semaphore = new Semaphore(1);
  const release = await semaphore.acquire();
  assert.equal(semaphore.tryAcquire(), null);
  const leaving = new AbortController();
  const admitted: string[] = [];
  const wait = async (name: string, signal?: AbortSignal) => {
    const done = await semaphore.acquire(signal);
    admitted.push(name);
    return done;
  };
  const first = wait("first", leaving.signal);
  const second = wait("second");
  const third = wait("third");
  leaving.abort(new Error("left"));
  await assert.rejects(first, /left/);
  release();
  // A place that was given back once belongs to whoever has it now.
  release();
  const releaseSecond = await second;
  assert.deepEqual(admitted, ["second"]);
  assert.equal(semaphore.tryAcquire(), null);
  releaseSecond();
  const releaseThird = await third;
  releaseThird();
  assert.deepEqual(admitted, ["second", "third"]);
  assert.notEqual(semaphore.tryAcquire(), null);
  await assert.rejects(semaphore.acquire(leaving.signal), /left/);
});
