import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { run } from "./child.mjs";
import { createTemporaryFolder } from "../server/test/support/temporary-folder.ts";

const UNOBSERVED_TESTS = pathToFileURL(join(import.meta.dirname, "unobserved-tests.mjs")).href;

/** Runs a test file in a process of Node's test runner, as `npm test` does. */
async function runTestFile(folder: string, content: string) {
  const file = join(folder, "file.test.mjs");
  await writeFile(file, content);
  const options = ["--test", "--test-reporter=spec", "--test-timeout=20000", file];
  return run(process.execPath, options, {
    env: { PATH: process.env["PATH"], NODE_OPTIONS: `--import=${UNOBSERVED_TESTS}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

test("the runner observes no asynchronous resources", async (t) => {
  const { code, output } = await runTestFile(
    await createTemporaryFolder(t),
    `import test from "node:test";
    import assert from "node:assert/strict";
    import { executionAsyncId } from "node:async_hooks";
    test("has no hook", async () => {
      // Without a hook, Node gives promises no ids.
      await Promise.resolve();
      assert.equal(executionAsyncId(), 0);
    });`,
  );
  assert.deepEqual([code, /pass 1\n/u.test(output)], [0, true], output);
});

for (const [kind, cause] of [
  ["exception", 'setImmediate(() => { throw new Error("lost"); });'],
  ["rejection", 'Promise.reject(new Error("lost"));'],
])
  test(`an uncaught ${kind} fails the file, and its stack is printed`, async (t) => {
    const { code, output } = await runTestFile(
      await createTemporaryFolder(t),
      `import test from "node:test";
      test("fails", async () => {
        ${cause}
        await new Promise((resolve) => setTimeout(resolve, 20));
      });`,
    );
    assert.equal(code, 1, output);
    assert.match(output, /Uncaught error: Error: lost\n\s+at .*file\.test\.mjs:3/u);
  });
