import assert from "node:assert/strict";
import { test } from "node:test";
import { createFeedItem } from "./create-feed-item.fixture.ts";
import {
  isUnfiltered,
  matchesFilter,
  parseFeedFilter,
  toFeedQuery,
  toSearchText,
} from "./feed-filter.ts";

test("a filter is parsed from the query, and invalid values are ignored", () => {
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
});

test("a filter becomes the server's query, and a filter without fields selects the whole feed", () => {
  assert.equal(isUnfiltered({}), true);
  assert.equal(isUnfiltered({ channel: "ops" }), false);
  assert.deepEqual(toFeedQuery({ channel: "ops" }), { channel: "ops" });
});

test("a search text is truncated to the server's limits", () => {
  assert.equal(toSearchText("1 2 3 4 5 6 7 8 9"), "1 2 3 4 5 6 7 8");
  assert.equal(toSearchText("x".repeat(300)).length, 200);
});

test("a notification matches a filter if its channel, state and words match", () => {
  const item = createFeedItem("1", {
    title: "Disk FULL",
    body: "Überlauf auf db-1",
    channel: "ops",
  });
  assert.equal(matchesFilter({ channel: "ops", unread: true, q: "überlauf disk" }, item), true);
  assert.equal(matchesFilter({ channel: "backup" }, item), false);
  assert.equal(matchesFilter({ q: "disk nowhere" }, item), false);
  assert.equal(matchesFilter({ unread: true }, { ...item, readAt: item.createdAt }), false);
});
