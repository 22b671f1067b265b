import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedItem } from "@tocsin/sdk";
import {
  applyChange,
  hasCompleteText,
  NO_ITEMS,
  mergeItems,
  mergeFreshFeed,
  appendPage,
} from "./feed-items.ts";
import { createFeedItem } from "./create-feed-item.fixture.ts";

const READ_AT = "2026-01-02T00:00:00.000Z";

function createPage(ids: readonly string[], nextCursor: string | null = null) {
  return { items: ids.map((id) => createFeedItem(id)), nextCursor };
}

function getIds(feed: { items: readonly FeedItem[] } | null): readonly string[] | undefined {
  return feed?.items.map(({ id }) => id);
}

function getUnreadIds(feed: { items: readonly FeedItem[] } | null): readonly string[] | undefined {
  return feed?.items.filter(({ readAt }) => readAt === null).map(({ id }) => id);
}

test("a new notification is added on top, and a changed one is replaced", () => {
  const feed = createPage(["2", "1"]);
  assert.deepEqual(getIds(mergeItems(feed, [createFeedItem("3")])), ["3", "2", "1"]);
  const feedAfterRead = mergeItems(feed, [createFeedItem("1", { readAt: READ_AT })]);
  assert.deepEqual(getIds(feedAfterRead), ["2", "1"]);
  assert.equal(feedAfterRead.items[1]?.readAt, READ_AT);
});

test("a late notification is inserted by age", () => {
  assert.deepEqual(getIds(mergeItems(createPage(["4", "2"]), [createFeedItem("3")])), [
    "4",
    "3",
    "2",
  ]);
});

test("an older page is appended without duplicates, with its next cursor", () => {
  const feed = appendPage(createPage(["4", "3"], "c3"), createPage(["3", "2", "1"]));
  assert.deepEqual(getIds(feed), ["4", "3", "2", "1"]);
  assert.equal(feed.nextCursor, null);
});

test("a fetched feed replaces everything except newer live notifications", () => {
  const currentFeed = createPage(["4", "3", "1"], "c1");
  const mergedFeed = mergeFreshFeed(currentFeed, createPage(["3", "2"], "c2"));
  assert.deepEqual([getIds(mergedFeed), mergedFeed.nextCursor], [["4", "3", "2"], "c2"]);
  assert.deepEqual(getIds(mergeFreshFeed(createPage(["3"]), NO_ITEMS)), ["3"]);
});

test("a list truncates long texts and recognizes truncated texts", () => {
  const [truncatedItem] = mergeItems(NO_ITEMS, [
    createFeedItem("1", { body: "x".repeat(30_000) }),
  ]).items;
  assert.equal(truncatedItem?.body.length, 500);
  assert.equal(truncatedItem !== undefined && hasCompleteText(truncatedItem), false);
  assert.equal(hasCompleteText(createFeedItem("1", { body: "x".repeat(499) })), true);
});

test("a live change is applied to the items that it names", () => {
  const feed = {
    items: [
      createFeedItem("3", { channel: "ci" }),
      createFeedItem("2"),
      createFeedItem("1", { readAt: READ_AT }),
    ],
    nextCursor: null,
  };
  const readAt = "2026-02-02T00:00:00.000Z";
  const applyRead = (which: { ids: readonly string[] } | { upTo: string; channel?: string }) =>
    applyChange(feed, { kind: "read", which, readAt });
  assert.deepEqual(getUnreadIds(applyRead({ ids: ["3", "9"] })), ["2"]);
  assert.deepEqual(getUnreadIds(applyRead({ upTo: "2" })), ["3"]);
  assert.deepEqual(getUnreadIds(applyRead({ upTo: "3", channel: "ci" })), ["2"]);
  assert.equal(applyRead({ upTo: "3" })?.items[2]?.readAt, READ_AT);
  assert.deepEqual(getUnreadIds(applyChange(feed, { kind: "unread", ids: ["1"] })), [
    "3",
    "2",
    "1",
  ]);
  assert.deepEqual(getIds(applyChange(feed, { kind: "deleted", ids: ["2"] })), ["3", "1"]);
  assert.equal(applyChange(feed, { kind: "restored", ids: ["4"] }), null);
});

test("a stored feed is replaced with the fetched one", () => {
  const storedFeed = { ...createPage(["9", "3", "2", "1"]), keptAt: READ_AT };
  const mergedFeed = mergeFreshFeed(storedFeed, createPage(["4", "3"], "c"));
  assert.deepEqual(getIds(mergedFeed), ["4", "3"]);
  assert.equal(mergedFeed.keptAt, undefined);
});
