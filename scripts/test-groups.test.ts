import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { run } from "./child.mjs";
import { createTemporaryFolder } from "../server/test/support/temporary-folder.ts";
import { groupTests } from "./test-groups.ts";

const ROOT = "/here";

test("test files share processes in order, except files that need their own process", async (t) => {
  const folder = join(await createTemporaryFolder(t), "groups");
  const needsOwnProcess = (file: string) => file.startsWith("alone");
  const isFirst = () => false;
  const files = ["a.test.ts", "b.test.ts", "c.test.ts", "alone/d.test.ts", "e.test.ts"];
  const grouped = groupTests(files, { size: 2, needsOwnProcess, isFirst, root: ROOT, folder });
  const [first = "", ...others] = grouped;
  assert.deepEqual(others, ["c.test.ts", "alone/d.test.ts", "e.test.ts"]);
  const lines = readFileSync(first, "utf8").trim().split("\n");
  const toUrl = (path: string) => pathToFileURL(path).href;
  const paths = [
    join(import.meta.dirname, "end-leftover-process.mjs"),
    join(import.meta.dirname, "released-hooks.mjs"),
    join(ROOT, "a.test.ts"),
    join(ROOT, "b.test.ts"),
  ];
  assert.deepEqual(
    lines,
    paths.map((path) => `import "${toUrl(path)}";`),
  );
});

test("a long test file gets the first path, because the runner starts files by path", async (t) => {
  const root = await createTemporaryFolder(t);
  const files = ["a.test.ts", "b.test.ts", "long.test.ts", "c.test.ts"];
  const grouped = groupTests(files, {
    size: 2,
    needsOwnProcess: () => false,
    isFirst: (file) => file === "long.test.ts",
    root,
    folder: join(root, "groups"),
  });
  const [first = ""] = grouped.toSorted();
  assert.match(readFileSync(first, "utf8"), /long\.test\.ts/);
  assert.deepEqual(grouped.filter((path) => path !== first).length, 2);
});

test("a resource that a test releases is garbage-collected before the next test", async (t) => {
  const root = await createTemporaryFolder(t);
  const holderTest = `
    import assert from "node:assert/strict";
    import test from "node:test";
    import { setImmediate as nextTurn } from "node:timers/promises";
    const stopped = [];
    let resourceRef;
    test("holds", (t) => {
      const resource = { bytes: Buffer.alloc(1_000) };
      resourceRef = new WeakRef(resource);
      t.after(async () => { await nextTurn(); resource.bytes = null; stopped.push("first"); });
      t.after(async () => { await nextTurn(); stopped.push("second"); });
    });
    test("is stopped", async () => {
      assert.deepEqual(stopped, ["first", "second"]);
      await nextTurn();
      gc();
      assert.equal(resourceRef.deref(), undefined);
    });
    test("fails where its hook does", (t) => t.after(async () => { await nextTurn(); throw new Error("unstoppable"); }));
  `;
  await writeFile(join(root, "a.test.mjs"), holderTest);
  await writeFile(join(root, "b.test.mjs"), "");
  const { code, output } = await runGroup(root, ["--expose-gc"]);
  assert.equal(code, 1);
  assert.match(output, /pass 2\n.*fail 1\n/su);
  assert.match(output, /unstoppable/u);
});

test("a group with tests that leave a resource running ends, fails and names the resource", async (t) => {
  const root = await createTemporaryFolder(t);
  const leakingTest =
    'import test from "node:test"; test("leaves", () => void setInterval(() => {}, 1_000));';
  await writeFile(join(root, "a.test.mjs"), leakingTest);
  await writeFile(
    join(root, "b.test.mjs"),
    'import test from "node:test"; test("is good", () => {});',
  );
  const { code, output } = await runGroup(root);
  assert.equal(code, 1);
  assert.match(output, /left resources open: .*Timeout/);
});

/** Runs a.test.mjs and b.test.mjs of a folder as one group. */
async function runGroup(root: string, flags: readonly string[] = []) {
  const never = () => false;
  const [group = ""] = groupTests(["a.test.mjs", "b.test.mjs"], {
    size: 2,
    needsOwnProcess: never,
    isFirst: never,
    root,
    folder: root,
  });
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return run(process.execPath, [...flags, group], {
    env: { ...env, TOCSIN_TEST_GRACE_MS: "50" },
    stdio: "pipe",
  });
}
