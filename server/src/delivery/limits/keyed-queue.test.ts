import assert from "node:assert/strict";
import test from "node:test";
import { KeyedQueue } from "./keyed-queue.ts";

test("work for one key runs one at a time, in the order of the calls, even after a failure", async () => {
  const deviceQueue = new KeyedQueue(() => 0);
  const first = Promise.withResolvers<void>();
  const log: string[] = [];
  const tasks = [
    deviceQueue.run("phone", async () => {
      log.push("first begins");
      await first.promise;
      log.push("first fails");
      throw new Error("failed");
    }),
    deviceQueue.run("phone", async () => log.push("second")),
    deviceQueue.run("phone", async () => log.push("third")),
  ];
  await deviceQueue.run("laptop", async () => log.push("other"));
  first.resolve();
  const results = await Promise.allSettled(tasks);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled"],
  );
  assert.deepEqual(log, ["first begins", "other", "first fails", "second", "third"]);
});

test("the duration is that of the running or the last work, whichever is longer, and the wait is a multiple of it", async () => {
  const clock = { ms: 100 };
  const deviceQueue = new KeyedQueue(() => clock.ms);
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const read = () => [deviceQueue.getDurationMs("phone"), deviceQueue.estimateWaitMs("phone")];
  assert.deepEqual(read(), [0, 0]);
  const [first, second] = ends.map(({ promise }) => deviceQueue.run("phone", () => promise));
  clock.ms += 5_000;
  assert.deepEqual(read(), [5_000, Number.POSITIVE_INFINITY]);
  ends[0]?.resolve();
  await first;
  clock.ms += 1_000;
  assert.deepEqual(read(), [5_000, 5_000]);
  const third = deviceQueue.run("phone", async () => {
    clock.ms += 10;
  });
  assert.deepEqual(read(), [5_000, 10_000]);
  clock.ms += 5_000;
  assert.deepEqual(read(), [6_000, 12_000]);
  ends[1]?.resolve();
  await Promise.all([second, third]);
  assert.deepEqual(read(), [10, 0]);
});
