import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { ReadsTogether } from "./reads-together.ts";

/** Returns reads whose result is their own SQL. */
function startReads() {
  const runs: string[][] = [];
  const reads = new ReadsTogether(async (queries) => {
    runs.push(queries.map(({ sql }) => sql));
    if (queries.some(({ sql }) => sql === "wrong")) throw new Error("The database says no.");
    return queries.map(({ sql }) => ({ rows: [sql] }));
  });
  const read = async (text: string) => (await reads.read(CompiledQuery.raw(text))).rows;
  return { runs, read };
}

test("reads of one event-loop iteration run together after it, each with its own result", async () => {
  const { runs, read } = startReads();
  const first = [read("a"), read("b")];
  await Promise.resolve();
  first.push(read("c"));
  assert.deepEqual(runs, []);
  assert.deepEqual(await Promise.all(first), [["a"], ["b"], ["c"]]);
  await nextTurn();
  assert.deepEqual(await read("d"), ["d"]);
  assert.deepEqual(runs, [["a", "b", "c"], ["d"]]);
});

test("an error rejects all reads of its batch and no later ones", async () => {
  const { read } = startReads();
  const outcomes = await Promise.allSettled([read("a"), read("wrong")]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.deepEqual(await read("b"), ["b"]);
});
