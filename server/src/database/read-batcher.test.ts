import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { ReadBatcher } from "./read-batcher.ts";

/** Creates a batcher. The result of a read is its own SQL. */
function createBatcher() {
  const batches: string[][] = [];
  const batcher = new ReadBatcher(async (queries) => {
    batches.push(queries.map(({ sql }) => sql));
    if (queries.some(({ sql }) => sql === "invalid")) throw new Error("The query is invalid.");
    return queries.map(({ sql }) => ({ rows: [sql] }));
  });
  const read = async (text: string) => (await batcher.read(CompiledQuery.raw(text))).rows;
  return { batches, read };
}

test("reads of one event-loop iteration run together after it, each with its own result", async () => {
  const { batches, read } = createBatcher();
  const firstReads = [read("a"), read("b")];
  await Promise.resolve();
  firstReads.push(read("c"));
  assert.deepEqual(batches, []);
  assert.deepEqual(await Promise.all(firstReads), [["a"], ["b"], ["c"]]);
  await nextTurn();
  assert.deepEqual(await read("d"), ["d"]);
  assert.deepEqual(batches, [["a", "b", "c"], ["d"]]);
});

test("an error rejects all reads of its batch and no later ones", async () => {
  const { read } = createBatcher();
  const outcomes = await Promise.allSettled([read("a"), read("invalid")]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.deepEqual(await read("b"), ["b"]);
});
