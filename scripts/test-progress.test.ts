import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { createTemporaryFolder } from "../server/test/support/temporary-folder.ts";
import { run } from "./child.mjs";

const REPORTER = pathToFileURL(join(import.meta.dirname, "test-progress.ts")).href;

const TEST_SOURCE = `
import test from "node:test";
test("passes", (t) => t.diagnostic("figure: 3"));
test("is skipped", { skip: "needs a printer" }, () => {});
test("fails", () => { throw new Error("no paper"); });
`;

test("the progress reporter prints figures, reasons, failures and the summary, but no passed tests", async (t) => {
  const file = join(await createTemporaryFolder(t), "some.test.mjs");
  await writeFile(file, TEST_SOURCE);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const flags = ["--test", `--test-reporter=${REPORTER}`];
  const { code, output } = await run(process.execPath, [...flags, file], { env });
  assert.equal(code, 1);
  assert.match(output, /figure: 3/);
  assert.match(output, /is skipped .*needs a printer/);
  assert.match(output, /✖ failing tests:[^]*✖ fails[^]*no paper/);
  assert.match(output, /ℹ pass 1\nℹ fail 1\n[^]*ℹ skipped 1\n/);
  assert.doesNotMatch(output, /passes/);
});
