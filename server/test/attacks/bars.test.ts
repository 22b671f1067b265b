import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { applyDefect } from "../campaigns/defect.ts";
import { BARS } from "./bars.ts";

const ROOT = new URL("../../../", import.meta.url);

test("every bar's defect still applies to its source file", async () => {
  for (const { defect } of BARS) {
    if (defect === null) continue;
    const source = await readFile(new URL(`server/src/${defect.file}`, ROOT), "utf8");
    assert.notEqual(applyDefect(source, defect), source, defect.mistake);
  }
});

test("the bars are numbered from S1, and their test files exist", () => {
  const ids = BARS.map((_, index) => `S${index + 1}`);
  assert.deepEqual(
    BARS.map(({ id }) => id),
    ids,
  );
  for (const { id, files } of BARS) {
    assert.ok(files.length > 0, id);
    for (const file of files) assert.ok(existsSync(new URL(file, ROOT)), file);
  }
});
