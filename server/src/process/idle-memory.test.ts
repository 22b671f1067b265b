import assert from "node:assert/strict";
import test from "node:test";
import { getHeapStatistics } from "node:v8";
import { loadNative } from "#process/native.ts";
import { releaseMemory, IdleMemory } from "./idle-memory.ts";

/** Returns the idle memory of a process whose heap size and load the test sets. */
function startProcess() {
  const state = { heapMb: 90, needsMb: 50, busyShare: 0, releaseCount: 0 };
  const memory = new IdleMemory({
    heapMb: () => state.heapMb,
    busyShare: () => state.busyShare,
    releaseMemory() {
      state.releaseCount += 1;
      state.heapMb = state.needsMb;
    },
  });
  return { state, memory };
}

test("an idle process returns the memory of its start once", () => {
  const { state, memory } = startProcess();
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
  const { state, memory } = startProcess();
  state.busyShare = 0.1;
  memory.check();
  state.busyShare = 0;
  state.heapMb = 400;
  memory.check();
  assert.equal(state.releaseCount, 0);
});

test("returned memory is not part of the heap any more", () => {
  const sizeMb = () => getHeapStatistics().total_heap_size / 1_048_576;
  let retained: number[][] = [];
  for (let part = 0; part < 400; part += 1)
    retained.push(Array.from({ length: 10_000 }, () => part));
  assert.equal(retained.length, 400);
  const before = sizeMb();
  retained = [];
  releaseMemory();
  assert.ok(sizeMb() < before - 25, `${before} MB, then ${sizeMb()} MB`);
});

const NO_GLIBC =
  loadNative({ gnu_get_libc_version: { arguments: [], return: "pointer" } }) === null;

test(
  "memory that was freed outside of the heap is returned as well",
  { skip: NO_GLIBC && "only glibc keeps what was freed" },
  () => {
    const residentMb = () => process.memoryUsage.rss() / 1_048_576;
    // The last buffer lies after all others, which would otherwise be returned without a collection.
    let retained = Array.from({ length: 1_500 }, () => Buffer.allocUnsafeSlow(60_000).fill(1));
    const before = residentMb();
    retained = retained.slice(-1);
    releaseMemory();
    assert.equal(retained.length, 1);
    assert.ok(residentMb() < before - 60, `${before} MB, then ${residentMb()} MB`);
  },
);
