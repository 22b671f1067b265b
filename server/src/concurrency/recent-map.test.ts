import assert from "node:assert/strict";
import test from "node:test";
import { RecentMap } from "./recent-map.ts";

test("a full map evicts the least recently used entry", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  assert.equal(map.get("a"), 1);
  map.set("c", 3);
  assert.deepEqual(
    [...map],
    [
      ["a", 1],
      ["c", 3],
    ],
  );
  map.set("a", 4);
  map.set("d", 5);
  assert.deepEqual(
    [...map],
    [
      ["a", 4],
      ["d", 5],
    ],
  );
});

test("a deleted entry frees its space", () => {
  const map = new RecentMap<string, number>(1);
  map.set("a", 1);
  map.delete("a");
  assert.equal(map.get("a"), undefined);
  map.set("b", 2);
  assert.deepEqual([...map], [["b", 2]]);
});
