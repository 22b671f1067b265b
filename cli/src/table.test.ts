import assert from "node:assert/strict";
import { test } from "node:test";
import { printTable, type Table } from "./table.ts";

const ID = "01a2193c-a831-71c6-aba7-e1cf0a298b5b";

function print(table: Table, columns: number | null): readonly string[] {
  const lines: string[] = [];
  printTable({ print: (line = "") => lines.push(line), style: (_, text) => text, columns }, table);
  return lines;
}

test("a terminal shows whole ids, and truncates a last column of text only", () => {
  const table = {
    headings: ["NAME", "ID"],
    rows: [[{ text: "Phone in the office" }, { text: ID }]],
  };
  assert.deepEqual(print(table, 40), ["NAME                 ID", `Phone in the office  ${ID}`]);
  const titles = { ...table, isLastTruncated: true };
  assert.equal(print(titles, 45)[1], `Phone in the office  ${ID.slice(0, 23)}…`);
  assert.equal(print(titles, 10)[1], `Phone in the office  ${ID.slice(0, 19)}…`);
  assert.equal(print(titles, null)[1], `Phone in the office  ${ID}`);
});
