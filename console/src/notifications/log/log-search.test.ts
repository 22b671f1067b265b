import assert from "node:assert/strict";
import { test } from "node:test";
import { isFiltered, parseLogSearch, queryOf } from "./log-search.ts";

test("an address asks for what it names, and what makes no sense is left out", () => {
  const search = { state: "failed", channel: "ci", q: 404, from: "2026-05-04", to: "2026-05-05" };
  assert.deepEqual(parseLogSearch(search), { ...search, q: "404" });
  const nonsense = {
    state: "eaten",
    channel: "a b",
    key: "%",
    q: "  ",
    from: "2026-99-99",
    to: "x",
  };
  assert.deepEqual(parseLogSearch({ ...nonsense, device: ["d"] }), {});
  assert.deepEqual([isFiltered({}), isFiltered({ q: "x" })], [false, true]);
});

test("days are those of the reader, the last one whole", () => {
  const { from, to } = queryOf({ from: "2026-05-04", to: "2026-05-31" });
  assert.equal(from, new Date(2026, 4, 4).toISOString());
  assert.equal(to, new Date(2026, 5, 1).toISOString());
});
