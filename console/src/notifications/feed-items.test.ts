import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedItem } from "@tocsin/sdk";
import { NO_ITEMS, withItems, withNewestPage, withOlderPage } from "./feed-items.ts";

function item(id: string, readAt: string | null = null): FeedItem {
  return {
    id,
    title: id,
    body: "",
    channel: "feed",
    sound: null,
    link: null,
    image: null,
    timeSensitive: false,
    teamId: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    readAt,
  };
}

function page(ids: readonly string[], nextCursor: string | null = null) {
  return { items: ids.map((id) => item(id)), nextCursor };
}

function idsOf({ items }: { items: readonly FeedItem[] }): readonly string[] {
  return items.map(({ id }) => id);
}

test("a live notification comes on top, and a change of one takes its place", () => {
  const feed = withNewestPage(NO_ITEMS, page(["2", "1"]));
  assert.deepEqual(idsOf(withItems(feed, [item("3")])), ["3", "2", "1"]);
  const read = withItems(feed, [item("1", "2026-01-02T00:00:00.000Z")]);
  assert.deepEqual(idsOf(read), ["2", "1"]);
  assert.equal(read.items[1]?.readAt, "2026-01-02T00:00:00.000Z");
});

test("an older page goes below and says where the next one is", () => {
  const feed = withOlderPage(withNewestPage(NO_ITEMS, page(["4", "3"], "c3")), page(["2", "1"]));
  assert.deepEqual(idsOf(feed), ["4", "3", "2", "1"]);
  assert.equal(feed.nextCursor, null);
});

test("a newest page that meets the known items keeps the older ones and their cursor", () => {
  const feed = withNewestPage(NO_ITEMS, page(["2", "1"], "c1"));
  const refreshed = withNewestPage(feed, page(["3", "2"], "c2"));
  assert.deepEqual(idsOf(refreshed), ["3", "2", "1"]);
  assert.equal(refreshed.nextCursor, "c1");
});

test("a newest page beyond a gap takes the place of everything", () => {
  const feed = withNewestPage(NO_ITEMS, page(["2", "1"]));
  const refreshed = withNewestPage(feed, page(["9", "8"], "c8"));
  assert.deepEqual(idsOf(refreshed), ["9", "8"]);
  assert.equal(refreshed.nextCursor, "c8");
});

test("what the live stream told while the page was on its way stays", () => {
  const told = withItems(NO_ITEMS, [item("3")]);
  assert.deepEqual(idsOf(withNewestPage(told, page([]))), ["3"]);
  assert.deepEqual(idsOf(withNewestPage(told, page(["2", "1"]))), ["3", "2", "1"]);
});
