import assert from "node:assert/strict";
import test from "node:test";
import { getHeapStatistics } from "node:v8";
import { loadNativeFunctions } from "#process/native.ts";
import { releaseMemory, IdleMemory } from "./idle-memory.ts";

/** Simulates a process whose heap size and load the test sets. */
function simulateProcess() {
  const state = { heapMb: 90, neededMb: 50, busyShare: 0, releaseCount: 0 };
  const memory = new IdleMemory({
    getHeapMb: () => state.heapMb,
    measureBusyShare: () => state.busyShare,
    releaseMemory() {
      state.releaseCount += 1;
      state.heapMb = state.neededMb;
    },
  });
  return { state, memory };
}

test("an idle process returns the memory of its start once", () => {
  const { state, memory } = simulateProcess();
  for (let check = 0; check < 3; check += 1) memory.check();
  assert.deepEqual([state.releaseCount, state.heapMb], [1, 50]);
  // A small growth is not worth a collection, but the memory of a burst is.
  state.heapMb = 60;
  memory.check();
  assert.equal(state.releaseCount, 1);
  state.heapMb = 80;
  memory.check();
  assert.equal(state.releaseCount, 2);
});

test("a busy process, or one with a large heap, keeps its memory", () => {
  const { state, memory } = simulateProcess();
  state.busyShare = 0.1;
  memory.check();
  state.busyShare = 0;
  state.heapMb = 400;
  memory.check();
  assert.equal(state.releaseCount, 0);
});

test("returned memory is not part of the heap any more", () => {
  const measureHeapMb = () => getHeapStatistics().total_heap_size / 1_048_576;
  let retained: number[][] = [];
  for (let part = 0; part < 400; part += 1)
    retained.push(Array.from({ length: 10_000 }, () => part));
  assert.equal(retained.length, 400);
  const heapBefore = measureHeapMb();
  retained = [];
  releaseMemory();
  // The numbers took 32 MB.
  assert.ok(measureHeapMb() < heapBefore - 25, `${heapBefore} MB, then ${measureHeapMb()} MB`);
});

const NO_GLIBC =
  loadNativeFunctions({ gnu_get_libc_version: { arguments: [], return: "pointer" } }) === null;

test(
  "memory that was freed outside of the heap is returned as well",
  { skip: NO_GLIBC && "only glibc keeps freed memory" },
  () => {
    const measureResidentMb = () => process.memoryUsage.rss() / 1_048_576;
    // The last buffer lies after all others, which would otherwise be returned without a collection.
    let retained = Array.from({ length: 1_500 }, () => Buffer.allocUnsafeSlow(60_000).fill(1));
    const residentBefore = measureResidentMb();
    retained = retained.slice(-1);
    releaseMemory();
    assert.equal(retained.length, 1);
    // The buffers took 90 MB.
    assert.ok(
      measureResidentMb() < residentBefore - 60,
      `${residentBefore} MB, then ${measureResidentMb()} MB`,
    );
  },
);
