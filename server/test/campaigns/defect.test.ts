import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { CAMPAIGNS } from "./campaigns.ts";
import { applyDefect } from "./defect.ts";

test("every campaign's defect still applies to its source file", async () => {
  for (const defect of CAMPAIGNS.flatMap(({ defects }) => defects)) {
    const source = await readFile(new URL(`../../src/${defect.file}`, import.meta.url), "utf8");
    assert.notEqual(applyDefect(source, defect), source, defect.mistake);
  }
});
