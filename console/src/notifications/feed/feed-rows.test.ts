import assert from "node:assert/strict";
import test from "node:test";
import { rowsOf, URGENT } from "./feed-rows.ts";
import { itemOf } from "./item.fixture.ts";

const NOTHING = { urgent: [], opened: new Set<string>() };
const repeat = (id: string, given = {}) => itemOf(id, { title: "nginx timed out", ...given });

/** Returns what each row shows: its notification, and the length of its run. */
function seen(rows: ReturnType<typeof rowsOf>): readonly string[] {
  return rows.map(({ item, run }) => (run === null ? item.id : `${item.id} × ${run.all.length}`));
}

test("repetitions of a notification are one row, which acts on all of them", () => {
  const items = [itemOf("5"), repeat("4"), repeat("3"), repeat("2"), itemOf("1")];
  const rows = rowsOf({ items, ...NOTHING });
  assert.deepEqual(seen(rows), ["5", "4 × 3", "1"]);
  assert.deepEqual(
    rows[1]?.items.map(({ id }) => id),
    ["4", "3", "2"],
  );
});

test("another channel, team or day begins a row of its own, and so does one without a title", () => {
  const items = [
    repeat("9"),
    repeat("8", { channel: "ci" }),
    repeat("7", { channel: "ci", teamId: "ops" }),
    repeat("6", { channel: "ci", teamId: "ops", createdAt: "2025-12-01T12:00:00.000Z" }),
    itemOf("5", { title: " " }),
    itemOf("4", { title: " " }),
  ];
  assert.deepEqual(seen(rowsOf({ items, ...NOTHING })), ["9", "8", "7", "6", "5", "4"]);
});

test("an opened run shows all, each in a row of its own", () => {
  const items = [repeat("3"), repeat("2"), repeat("1")];
  const rows = rowsOf({ items, urgent: [], opened: new Set(["2"]) });
  assert.deepEqual(seen(rows), ["3 × 3", "2", "1"]);
  assert.deepEqual(
    rows.map(({ isRepeat, items: acted }) => [isRepeat, acted.length]),
    [
      [false, 1],
      [true, 1],
      [true, 1],
    ],
  );
  assert.equal(new Set(rows.map(({ key }) => key)).size, 3);
});

test("the first row of a run keeps its key when another one comes, folded or not", () => {
  const keyOf = (ids: readonly string[], opened: readonly string[]) =>
    rowsOf({ items: ids.map((id) => repeat(id)), urgent: [], opened: new Set(opened) })[0]?.key;
  assert.equal(keyOf(["3", "2", "1"], []), keyOf(["2", "1"], []));
  assert.equal(keyOf(["3", "2", "1"], ["1"]), keyOf(["2", "1"], ["1"]));
  assert.equal(keyOf(["2", "1"], []), keyOf(["2", "1"], ["2"]));
});

test("an urgent notification stands on top, once, also where the page does not know it yet", () => {
  const alarm = itemOf("2", { timeSensitive: true });
  const old = itemOf("0", { timeSensitive: true });
  const items = [itemOf("3"), alarm, itemOf("1")];
  const rows = rowsOf({ items, urgent: [alarm, old], opened: new Set() });
  assert.deepEqual(seen(rows), ["2", "0", "3", "1"]);
  assert.deepEqual(
    rows.map(({ section }) => section === URGENT),
    [true, true, false, false],
  );
});
