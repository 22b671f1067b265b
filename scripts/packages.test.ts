import assert from "node:assert/strict";
import { test } from "node:test";
import { findInexactVersions, findUndecidedScripts } from "./packages.ts";

const LOCKFILE = {
  packages: {
    "": { version: "0.1.0" },
    "node_modules/node": { version: "26.10.0", hasInstallScript: true },
    "node_modules/a/node_modules/@b/c": { version: "1.0.0", hasInstallScript: true },
    "node_modules/quiet": { version: "2.0.0" },
  },
};

test("an install script without a decision is reported with the name of its package", () => {
  const problems = findUndecidedScripts(LOCKFILE, { "node@26.10.0": true });
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /^@b\/c@1\.0\.0 has an install script/u);
});

test("a refusal is a decision, by name or by name and version", () => {
  assert.deepEqual(findUndecidedScripts(LOCKFILE, { node: true, "@b/c@1.0.0": false }), []);
});

test("a decision on another version or a missing package is reported and does not count", () => {
  const problems = findUndecidedScripts(LOCKFILE, {
    "node@25.0.0": true,
    "@b/c": true,
    gone: true,
  });
  assert.match(problems[0] ?? "", /^node@26\.10\.0 has an install script/u);
  assert.match(problems[1] ?? "", /^allowScripts names node@25\.0\.0/u);
  assert.match(problems[2] ?? "", /^allowScripts names gone,/u);
});

test("only a single full version counts as exact", () => {
  const versions = ["^1.0.0", "~1.0.0", "1.x", "latest", "*", "github:a/b", ">=1.0.0"];
  const dependencies = Object.fromEntries(versions.map((version, index) => [`p${index}`, version]));
  assert.equal(findInexactVersions({ "a/package.json": { dependencies } }).length, versions.length);
  const devDependencies = { a: "1.2.3", b: "1.2.3-beta.1" };
  assert.deepEqual(findInexactVersions({ "package.json": { devDependencies } }), []);
});
