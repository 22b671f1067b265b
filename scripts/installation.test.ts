import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test, type TestContext } from "node:test";
import { install, isInstalled, getNpmCommand, SetupError } from "./installation.mjs";

const MANIFEST = { workspaces: ["room"], devDependencies: { node: "26.10.0" } };

/** Creates a repository of two packages, with `npmScript` as its npm. */
function createCheckout(t: TestContext, npmScript: string): string {
  const root = mkdtempSync(join(tmpdir(), "tocsin-install-"));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "room"));
  writeFileSync(join(root, "package.json"), JSON.stringify(MANIFEST));
  writeFileSync(join(root, "room", "package.json"), "{}");
  writeFileSync(join(root, "package-lock.json"), "{}");
  mkdirSync(join(root, "bin"));
  writeProgram(join(root, "bin", "npm"), npmScript);
  const original = { PATH: process.env["PATH"] ?? "", npm_execpath: process.env["npm_execpath"] };
  process.env["PATH"] = `${join(root, "bin")}${delimiter}${original.PATH}`;
  delete process.env["npm_execpath"];
  t.after(() => {
    process.env["PATH"] = original.PATH;
    if (original.npm_execpath !== undefined) process.env["npm_execpath"] = original.npm_execpath;
  });
  return root;
}

function writeProgram(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/** Returns a script that acts as npm does: `ci` empties node_modules, `rebuild` installs this version of Node. */
function createNpmScript(version: string): string {
  return `
echo "$@" >> calls
if [ "$1" = ci ]; then rm -rf node_modules; mkdir -p node_modules/.bin; exit 0; fi
printf '#!/bin/sh\\necho v${version}\\n' > node_modules/.bin/node
chmod +x node_modules/.bin/node`;
}

test("an installation is up to date until a manifest, the lockfile or the Node binary changes", async (t) => {
  const root = createCheckout(t, createNpmScript("26.10.0"));
  assert.equal(isInstalled(root), false);
  await install(root);
  assert.equal(isInstalled(root), true);
  for (const file of ["package-lock.json", "room/package.json"]) {
    writeFileSync(join(root, file), '{"changed":true}');
    assert.equal(isInstalled(root), false, file);
    await install(root);
    assert.equal(isInstalled(root), true, file);
  }
  writeProgram(join(root, "node_modules/.bin/node"), "echo v20.0.0");
  assert.equal(isInstalled(root), false, "another version");
  rmSync(join(root, "node_modules/.bin/node"));
  assert.equal(isInstalled(root), false, "no binary");
});

test("a failure of npm is reported with its reason and fix, and does not count as installed", async (t) => {
  const root = createCheckout(t, createNpmScript("26.10.0"));
  await install(root);
  writeProgram(
    join(root, "bin", "npm"),
    'if [ "$1" = ci ]; then exit 0; fi; echo "no network" >&2; exit 7',
  );
  await assert.rejects(install(root), (error) => {
    assert.ok(error instanceof SetupError);
    assert.match(error.message, /no network/u);
    assert.match(error.message, /npm rebuild node .* ended with code 7/u);
    assert.match(error.message, /run the command again/u);
    return true;
  });
  assert.equal(isInstalled(root), false);
});

test("a Node of the wrong version is a failure", async (t) => {
  const root = createCheckout(t, createNpmScript("20.0.0"));
  await assert.rejects(install(root), /has Node 20\.0\.0 where 26\.10\.0 is wanted/u);
  assert.equal(isInstalled(root), false);
});

test("the npm that runs the script is called again, but no other package manager", () => {
  const script = "/usr/lib/node_modules/npm/bin/npm-cli.js";
  assert.deepEqual(getNpmCommand({ npm_execpath: script }), ["node", script]);
  assert.deepEqual(getNpmCommand({ npm_execpath: "/opt/pnpm/pnpm.cjs" }), ["npm"]);
  assert.deepEqual(getNpmCommand({}), ["npm"]);
});
