import assert from "node:assert/strict";
import { test } from "node:test";
import { renderApiPage, updateFieldTable } from "./api-page.ts";

test("the table of fields is replaced by the current fields and their rules", async () => {
  const outdatedPage =
    "# API\n\n| field | type | rule |\n| ----- | ---- | ---- |\n| `old` | x    | y    |\n\nMore.\n";
  const page = updateFieldTable(outdatedPage);
  assert.match(page, /^\| `channel` +\| string +\| 1 to 64 letters, digits and hyphens;/m);
  assert.match(page, /^\| `markdown` +\| boolean \|/m);
  assert.doesNotMatch(page, /`old`/);
  assert.match(page, /\|\n\nMore\.\n$/);
  assert.ok(
    (await renderApiPage()).includes(page.slice(page.indexOf("| field"), page.indexOf("\n\nMore"))),
  );
});

test("a page without the table is refused", () => {
  assert.throws(() => updateFieldTable("# API\n"), /lacks the table/);
});
