import assert from "node:assert/strict";
import { test } from "node:test";
import { addEmoji, splitTags } from "./tags.ts";

test("tags are separated by commas, and blank ones are left out", () => {
  assert.deepEqual(splitTags(" warning, backup-db ,, ,x"), ["warning", "backup-db", "x"]);
  assert.deepEqual(splitTags(""), []);
});

test("emoji that the tags name are put before the title", () => {
  assert.equal(addEmoji("Disk full", ["warning", "backup", "tada", "+1"]), "⚠️ 🎉 👍 Disk full");
  assert.equal(addEmoji("Disk full", ["backup", "constructor", "__proto__"]), "Disk full");
  assert.equal(addEmoji("", ["warning"]), "⚠️");
  assert.equal(addEmoji("", []), "");
});
