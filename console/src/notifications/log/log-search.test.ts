import assert from "node:assert/strict";
import { test } from "node:test";
import { isFiltered, parseLogSearch, toNotificationsQuery } from "./log-search.ts";

test("a search is parsed from the URL's parameters, and invalid values are omitted", () => {
  const search = { state: "failed", channel: "ci", q: 404, from: "2026-05-04", to: "2026-05-05" };
  assert.deepEqual(parseLogSearch(search), { ...search, q: "404" });
  const invalidSearch = {
    state: "eaten",
    channel: "a b",
    key: "%",
    q: "  ",
    from: "2026-99-99",
    to: "x",
  };
  assert.deepEqual(parseLogSearch({ ...invalidSearch, device: ["d"] }), {});
});

test("a search without parameters is not filtered", () => {
  assert.deepEqual([isFiltered({}), isFiltered({ q: "x" })], [false, true]);
});

test("days are in the reader's time zone, and the last day is included", () => {
  const { from, to } = toNotificationsQuery({ from: "2026-05-04", to: "2026-05-31" });
  assert.equal(from, new Date(2026, 4, 4).toISOString());
  assert.equal(to, new Date(2026, 5, 1).toISOString());
});
