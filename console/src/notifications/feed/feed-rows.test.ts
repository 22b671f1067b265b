import assert from "node:assert/strict";
import test from "node:test";
import { buildRows, URGENT_SECTION } from "./feed-rows.ts";
import { createFeedItem } from "./create-feed-item.fixture.ts";

const ALL_COLLAPSED = { urgentItems: [], expandedIds: new Set<string>() };
const createRepeat = (id: string, fields = {}) =>
  createFeedItem(id, { title: "nginx timed out", ...fields });

/** Formats each row as its notification and the length of its run. */
function formatRows(rows: ReturnType<typeof buildRows>): readonly string[] {
  return rows.map(({ item, run }) => (run === null ? item.id : `${item.id} × ${run.items.length}`));
}

test("repeated notifications share one row", () => {
  const items = [
    createFeedItem("5"),
    createRepeat("4"),
    createRepeat("3"),
    createRepeat("2"),
    createFeedItem("1"),
  ];
  const rows = buildRows({ items, ...ALL_COLLAPSED });
  assert.deepEqual(formatRows(rows), ["5", "4 × 3", "1"]);
  assert.deepEqual(
    rows[1]?.items.map(({ id }) => id),
    ["4", "3", "2"],
  );
});

test("another channel, team or day, or a blank title, starts a new row", () => {
  const items = [
    createRepeat("9"),
    createRepeat("8", { channel: "ci" }),
    createRepeat("7", { channel: "ci", teamId: "ops" }),
    createRepeat("6", { channel: "ci", teamId: "ops", createdAt: "2025-12-01T12:00:00.000Z" }),
    createFeedItem("5", { title: " " }),
    createFeedItem("4", { title: " " }),
  ];
  assert.deepEqual(formatRows(buildRows({ items, ...ALL_COLLAPSED })), [
    "9",
    "8",
    "7",
    "6",
    "5",
    "4",
  ]);
});

test("an open prompt has a row of its own, because it waits for an answer", () => {
  const items = [
    createRepeat("4", { promptState: "open" }),
    createRepeat("3", { promptState: "open" }),
    createRepeat("2", { promptState: "answered" }),
    createRepeat("1", { promptState: "expired" }),
  ];
  assert.deepEqual(formatRows(buildRows({ items, ...ALL_COLLAPSED })), ["4", "3", "2 × 2"]);
});

test("an expanded run has one row per notification", () => {
  const items = [createRepeat("3"), createRepeat("2"), createRepeat("1")];
  const rows = buildRows({ items, urgentItems: [], expandedIds: new Set(["2"]) });
  assert.deepEqual(formatRows(rows), ["3 × 3", "2", "1"]);
  assert.deepEqual(
    rows.map(({ isRepeat, items: rowItems }) => [isRepeat, rowItems.length]),
    [
      [false, 1],
      [true, 1],
      [true, 1],
    ],
  );
  assert.equal(new Set(rows.map(({ key }) => key)).size, 3);
});

test("the first row of a run keeps its key when a new repeat arrives", () => {
  const getFirstKey = (ids: readonly string[], expandedIds: readonly string[]) =>
    buildRows({
      items: ids.map((id) => createRepeat(id)),
      urgentItems: [],
      expandedIds: new Set(expandedIds),
    })[0]?.key;
  assert.equal(getFirstKey(["3", "2", "1"], []), getFirstKey(["2", "1"], []));
  assert.equal(getFirstKey(["3", "2", "1"], ["1"]), getFirstKey(["2", "1"], ["1"]));
  assert.equal(getFirstKey(["2", "1"], []), getFirstKey(["2", "1"], ["2"]));
});

test("urgent notifications come first and only once, even if the list has not loaded them yet", () => {
  const loadedAlarm = createFeedItem("2", { timeSensitive: true });
  const unloadedAlarm = createFeedItem("0", { timeSensitive: true });
  const items = [createFeedItem("3"), loadedAlarm, createFeedItem("1")];
  const rows = buildRows({
    items,
    urgentItems: [loadedAlarm, unloadedAlarm],
    expandedIds: new Set(),
  });
  assert.deepEqual(formatRows(rows), ["2", "0", "3", "1"]);
  assert.deepEqual(
    rows.map(({ section }) => section === URGENT_SECTION),
    [true, true, false, false],
  );
});
