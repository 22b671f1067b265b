import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedItem } from "@tocsin/sdk";
import {
  afterChange,
  isWhole,
  NO_ITEMS,
  withItems,
  withNewest,
  withOlderPage,
} from "./feed-items.ts";
import { itemOf } from "./item.fixture.ts";

const READ_AT = "2026-01-02T00:00:00.000Z";

function page(ids: readonly string[], nextCursor: string | null = null) {
  return { items: ids.map((id) => itemOf(id)), nextCursor };
}

function idsOf(feed: { items: readonly FeedItem[] } | null): readonly string[] | undefined {
  return feed?.items.map(({ id }) => id);
}

function unreadOf(feed: { items: readonly FeedItem[] } | null): readonly string[] | undefined {
  return feed?.items.filter(({ readAt }) => readAt === null).map(({ id }) => id);
}

test("a live notification comes on top, and a change of one takes its place", () => {
  const feed = page(["2", "1"]);
  assert.deepEqual(idsOf(withItems(feed, [itemOf("3")])), ["3", "2", "1"]);
  const read = withItems(feed, [itemOf("1", { readAt: READ_AT })]);
  assert.deepEqual(idsOf(read), ["2", "1"]);
  assert.equal(read.items[1]?.readAt, READ_AT);
});

test("one that comes late takes its place by age", () => {
  assert.deepEqual(idsOf(withItems(page(["4", "2"]), [itemOf("3")])), ["4", "3", "2"]);
});

test("an older page goes below, once, and says where the next one is", () => {
  const feed = withOlderPage(page(["4", "3"], "c3"), page(["3", "2", "1"]));
  assert.deepEqual(idsOf(feed), ["4", "3", "2", "1"]);
  assert.equal(feed.nextCursor, null);
});

test("a new first page takes the place of everything but the entries that came meanwhile", () => {
  const known = page(["4", "3", "1"], "c1");
  const fresh = withNewest(known, page(["3", "2"], "c2"));
  assert.deepEqual([idsOf(fresh), fresh.nextCursor], [["4", "3", "2"], "c2"]);
  assert.deepEqual(idsOf(withNewest(page(["3"]), NO_ITEMS)), ["3"]);
});

test("a list keeps long texts cut, and knows which it cut", () => {
  const [long] = withItems(NO_ITEMS, [itemOf("1", { body: "x".repeat(30_000) })]).items;
  assert.equal(long?.body.length, 500);
  assert.equal(long !== undefined && isWhole(long), false);
  assert.equal(isWhole(itemOf("1", { body: "x".repeat(499) })), true);
});

test("marks and deletions made elsewhere hold here, and a moment stays as it was", () => {
  const feed = {
    items: [itemOf("3", { channel: "ci" }), itemOf("2"), itemOf("1", { readAt: READ_AT })],
    nextCursor: null,
  };
  const readAt = "2026-02-02T00:00:00.000Z";
  const read = (which: { ids: readonly string[] } | { upTo: string; channel?: string }) =>
    afterChange(feed, { kind: "read", which, readAt });
  assert.deepEqual(unreadOf(read({ ids: ["3", "9"] })), ["2"]);
  assert.deepEqual(unreadOf(read({ upTo: "2" })), ["3"]);
  assert.deepEqual(unreadOf(read({ upTo: "3", channel: "ci" })), ["2"]);
  assert.equal(read({ upTo: "3" })?.items[2]?.readAt, READ_AT);
  assert.deepEqual(unreadOf(afterChange(feed, { kind: "unread", ids: ["1"] })), ["3", "2", "1"]);
  assert.deepEqual(idsOf(afterChange(feed, { kind: "deleted", ids: ["2"] })), ["3", "1"]);
  assert.equal(afterChange(feed, { kind: "restored", ids: ["4"] }), null);
});

test("a kept feed gives way to what the server says now", () => {
  const kept = { ...page(["9", "3", "2", "1"]), keptAt: READ_AT };
  const now = withNewest(kept, page(["4", "3"], "c"));
  assert.deepEqual(idsOf(now), ["4", "3"]);
  assert.equal(now.keptAt, undefined);
});
