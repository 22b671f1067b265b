import assert from "node:assert/strict";
import { test } from "node:test";
import { printTable, type Table } from "./table.ts";

const ID = "01a2193c-a831-71c6-aba7-e1cf0a298b5b";

function print(table: Table, columns: number | null): readonly string[] {
  const lines: string[] = [];
  printTable({ print: (line = "") => lines.push(line), style: (_, text) => text, columns }, table);
  return lines;
}

test("the last column is truncated only on a terminal, and only if the table allows it", () => {
  const table = {
    headings: ["NAME", "ID"],
    rows: [[{ text: "Phone in the office" }, { text: ID }]],
  };
  assert.deepEqual(print(table, 40), ["NAME                 ID", `Phone in the office  ${ID}`]);
  const truncatedTable = { ...table, isLastTruncated: true };
  assert.equal(print(truncatedTable, 45)[1], `Phone in the office  ${ID.slice(0, 23)}…`);
  // The last column keeps 20 columns, with the ellipsis.
  assert.equal(print(truncatedTable, 10)[1], `Phone in the office  ${ID.slice(0, 19)}…`);
  assert.equal(print(truncatedTable, null)[1], `Phone in the office  ${ID}`);
});
