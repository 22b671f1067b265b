import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { ReadsTogether } from "./reads-together.ts";

/** Answers each query with its own text. */
function startReads() {
  const runs: string[][] = [];
  const reads = new ReadsTogether(async (queries) => {
    runs.push(queries.map(({ sql }) => sql));
    if (queries.some(({ sql }) => sql === "wrong")) throw new Error("The database says no.");
    return queries.map(({ sql }) => ({ rows: [sql] }));
  });
  const ask = async (text: string) => (await reads.ask(CompiledQuery.raw(text))).rows;
  return { runs, ask };
}

test("reads of one turn run together, after it, and each gets its own answer", async () => {
  const { runs, ask } = startReads();
  const first = [ask("a"), ask("b")];
  await Promise.resolve();
  first.push(ask("c"));
  assert.deepEqual(runs, []);
  assert.deepEqual(await Promise.all(first), [["a"], ["b"], ["c"]]);
  await nextTurn();
  assert.deepEqual(await ask("d"), ["d"]);
  assert.deepEqual(runs, [["a", "b", "c"], ["d"]]);
});

test("an error is that of all who asked with it, and of nobody after", async () => {
  const { ask } = startReads();
  const outcomes = await Promise.allSettled([ask("a"), ask("wrong")]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.deepEqual(await ask("b"), ["b"]);
});
