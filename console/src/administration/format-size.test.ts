import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSize } from "./format-size.ts";

test("a size has the largest fitting unit and the number format of the language", () => {
  assert.equal(formatSize(300, "en"), "0.3 kB");
  assert.equal(formatSize(4_200_000, "de"), "4,2 MB");
  assert.equal(formatSize(52_000_000_000, "en"), "52 GB");
  assert.equal(formatSize(9e15, "en"), "9,000 TB");
});
