import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { BUILDS, CONSOLE, isBuilt, runBuild } from "./builds.mjs";
import { SetupError } from "./installation.mjs";

const SOURCES = [
  "console/build/build.ts",
  "console/index.html",
  "console/package.json",
  "console/public/icon.svg",
  "console/src/keys/key.ts",
  "console/src/keys/key.test.ts",
  "console/vite.config.ts",
  "package-lock.json",
  "sdk/package.json",
  "sdk/src/client.ts",
];

/** Creates a repository whose Node runs the script instead of a build. */
function createCheckout(t: TestContext, script: string): string {
  const root = mkdtempSync(join(tmpdir(), "tocsin-console-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const file of SOURCES) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), "1");
  }
  const node = join(root, "node_modules/.bin/node");
  mkdirSync(dirname(node), { recursive: true });
  writeFileSync(node, `#!/bin/sh\n${script}\n`);
  chmodSync(node, 0o755);
  return root;
}

const BUILD_CONSOLE = "rm -rf console/dist; mkdir console/dist";

test("a built console is up to date until one of its sources changes", async (t) => {
  const root = createCheckout(t, BUILD_CONSOLE);
  assert.equal(isBuilt(root, CONSOLE), false);
  await runBuild(root, CONSOLE);
  assert.equal(isBuilt(root, CONSOLE), true);
  for (const file of SOURCES.filter((path) => !path.endsWith(".test.ts"))) {
    appendFileSync(join(root, file), "2");
    assert.equal(isBuilt(root, CONSOLE), false, file);
    await runBuild(root, CONSOLE);
  }
  writeFileSync(join(root, "console/src/keys/new.ts"), "");
  assert.equal(isBuilt(root, CONSOLE), false, "a new file");
});

test("every build of this repository has its sources and its script", () => {
  const root = join(import.meta.dirname, "..");
  for (const { script, inputPaths } of BUILDS) {
    for (const path of [script, ...inputPaths]) assert.ok(existsSync(join(root, path)), path);
  }
});

test("a test file is not a source of the build", async (t) => {
  const root = createCheckout(t, BUILD_CONSOLE);
  await runBuild(root, CONSOLE);
  appendFileSync(join(root, "console/src/keys/key.test.ts"), "2");
  assert.equal(isBuilt(root, CONSOLE), true);
});

test("a failed build is reported, and the console does not count as built", async (t) => {
  const root = createCheckout(t, `${BUILD_CONSOLE}; echo "no such import"; exit 1`);
  await assert.rejects(runBuild(root, CONSOLE), (error) => {
    assert.ok(error instanceof SetupError);
    assert.match(error.message, /no such import\n\nThe console could not be built: .*code 1/);
    return true;
  });
  assert.equal(isBuilt(root, CONSOLE), false);
});

test("a source that changes during a build causes another build", async (t) => {
  const root = createCheckout(t, `${BUILD_CONSOLE}; echo 2 >> console/index.html`);
  await runBuild(root, CONSOLE);
  assert.equal(isBuilt(root, CONSOLE), false);
});
