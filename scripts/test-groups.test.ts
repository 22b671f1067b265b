import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "../server/test/support/temporary-folder.ts";
import { groupTests } from "./test-groups.ts";

const ROOT = "/here";

test("test files share processes, in their order, but for those that need one of their own", async (t) => {
  const folder = join(await temporaryFolder(t), "groups");
  const isAlone = (file: string) => file.startsWith("alone");
  const files = ["a.test.ts", "b.test.ts", "c.test.ts", "alone/d.test.ts", "e.test.ts"];
  const given = groupTests(files, { size: 2, isAlone, root: ROOT, folder });
  const [first = "", ...others] = given;
  assert.deepEqual(others, ["c.test.ts", "alone/d.test.ts", "e.test.ts"]);
  const lines = readFileSync(first, "utf8").trim().split("\n");
  const url = (file: string) => pathToFileURL(join(ROOT, file)).href;
  assert.deepEqual(lines, [`import "${url("a.test.ts")}";`, `import "${url("b.test.ts")}";`]);
});
