import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { CAMPAIGNS } from "./campaigns.ts";
import { breakSource } from "./defect.ts";

test("every campaign's defect still applies to its source file", async () => {
  for (const { defect } of CAMPAIGNS) {
    const source = await readFile(new URL(`../../src/${defect.file}`, import.meta.url), "utf8");
    assert.notEqual(breakSource(source, defect), source, defect.mistake);
  }
});
