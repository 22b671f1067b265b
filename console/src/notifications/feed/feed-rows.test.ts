import assert from "node:assert/strict";
import test from "node:test";
import { buildRows, URGENT } from "./feed-rows.ts";
import { createItem } from "./create-item.fixture.ts";

const NO_OPTIONS = { urgent: [], opened: new Set<string>() };
const createRepeat = (id: string, fields = {}) =>
  createItem(id, { title: "nginx timed out", ...fields });

/** Formats each row as its notification and the length of its run. */
function formatRows(rows: ReturnType<typeof buildRows>): readonly string[] {
  return rows.map(({ item, run }) => (run === null ? item.id : `${item.id} × ${run.all.length}`));
}

test("repeated notifications are one row with all of them", () => {
  const items = [
    createItem("5"),
    createRepeat("4"),
    createRepeat("3"),
    createRepeat("2"),
    createItem("1"),
  ];
  const rows = buildRows({ items, ...NO_OPTIONS });
  assert.deepEqual(formatRows(rows), ["5", "4 × 3", "1"]);
  assert.deepEqual(
    rows[1]?.items.map(({ id }) => id),
    ["4", "3", "2"],
  );
});

test("another channel, team or day, or an empty title, starts a new row", () => {
  const items = [
    createRepeat("9"),
    createRepeat("8", { channel: "ci" }),
    createRepeat("7", { channel: "ci", teamId: "ops" }),
    createRepeat("6", { channel: "ci", teamId: "ops", createdAt: "2025-12-01T12:00:00.000Z" }),
    createItem("5", { title: " " }),
    createItem("4", { title: " " }),
  ];
  assert.deepEqual(formatRows(buildRows({ items, ...NO_OPTIONS })), ["9", "8", "7", "6", "5", "4"]);
});

test("an expanded run has one row per notification", () => {
  const items = [createRepeat("3"), createRepeat("2"), createRepeat("1")];
  const rows = buildRows({ items, urgent: [], opened: new Set(["2"]) });
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
  const keyOf = (ids: readonly string[], opened: readonly string[]) =>
    buildRows({ items: ids.map((id) => createRepeat(id)), urgent: [], opened: new Set(opened) })[0]
      ?.key;
  assert.equal(keyOf(["3", "2", "1"], []), keyOf(["2", "1"], []));
  assert.equal(keyOf(["3", "2", "1"], ["1"]), keyOf(["2", "1"], ["1"]));
  assert.equal(keyOf(["2", "1"], []), keyOf(["2", "1"], ["2"]));
});

test("an urgent notification is on top, once, even if it is not loaded yet", () => {
  const alarm = createItem("2", { timeSensitive: true });
  const old = createItem("0", { timeSensitive: true });
  const items = [createItem("3"), alarm, createItem("1")];
  const rows = buildRows({ items, urgent: [alarm, old], opened: new Set() });
  assert.deepEqual(formatRows(rows), ["2", "0", "3", "1"]);
  assert.deepEqual(
    rows.map(({ section }) => section === URGENT),
    [true, true, false, false],
  );
});
