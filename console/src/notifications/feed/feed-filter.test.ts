import assert from "node:assert/strict";
import { test } from "node:test";
import { itemOf } from "./item.fixture.ts";
import { isEverything, isWithin, parseFeedFilter, queryOf, searchTextOf } from "./feed-filter.ts";

test("an address names a filter, and what it cannot mean is passed over", () => {
  assert.deepEqual(parseFeedFilter({ channel: "ops", unread: true, q: " disk  full " }), {
    channel: "ops",
    unread: true,
    q: "disk full",
  });
  assert.deepEqual(parseFeedFilter({ channel: 404, unread: 1, q: 7 }), {
    channel: "404",
    unread: true,
    q: "7",
  });
  for (const search of [{}, { channel: "a/b", unread: "x", q: " " }, { channel: {}, q: [] }]) {
    assert.deepEqual(parseFeedFilter(search), {});
  }
  assert.equal(isEverything({}), true);
  assert.deepEqual(queryOf({ channel: "ops" }), { channel: "ops" });
});

test("a typed search is cut to the length that the server takes", () => {
  assert.equal(searchTextOf("1 2 3 4 5 6 7 8 9"), "1 2 3 4 5 6 7 8");
  assert.equal(searchTextOf("x".repeat(300)).length, 200);
});

test("a live notification belongs where channel, read mark and every word fit", () => {
  const item = itemOf("1", { title: "Disk FULL", body: "Überlauf auf db-1", channel: "ops" });
  assert.equal(isWithin({ channel: "ops", unread: true, q: "überlauf disk" }, item), true);
  assert.equal(isWithin({ channel: "backup" }, item), false);
  assert.equal(isWithin({ q: "disk nowhere" }, item), false);
  assert.equal(isWithin({ unread: true }, { ...item, readAt: item.createdAt }), false);
});
