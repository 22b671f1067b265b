import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./files.ts";

const PATH = /`([\w./-]+\/[\w.-]+\.\w+|CHANGELOG\.md)`/g;

test("the files of CONTRIBUTING.md that a field touches are those of `icon`", () => {
  const page = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const [, section = ""] = /^## Add a field\n([^]*?)^## /m.exec(page) ?? [];
  const paths = [...section.matchAll(PATH)].map(([, path = ""]) => path);
  assert.equal(paths.length, 13);
  for (const path of paths) {
    assert.match(readFileSync(join(ROOT, path), "utf8"), /\bicon\b/, path);
  }
});
