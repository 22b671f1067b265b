import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sizeOf, reportFigure } from "../server/test/bars/bar.ts";
import { run } from "./child.mjs";
import { ROOT } from "./files.ts";
import { npmCommand } from "./installation.mjs";
import { readLockfile, readManifests, undecidedScripts, type Lockfile } from "./packages.ts";
import { makeSbom } from "./sbom.ts";
import {
  AGE_MIN_MS,
  ownSuppliers,
  tooManySuppliers,
  unboundPackages,
  youngVersions,
} from "./supply-chain.ts";

const lockfile = readLockfile();
const manifests = readManifests();
const server = { folder: "server", ...manifests["server/package.json"] };

/** The lockfile with one package more. */
function withPackage(locked: Lockfile["packages"][string]): Lockfile {
  return { packages: { ...lockfile.packages, "node_modules/evil": locked } };
}

test("every locked package is bound to its hash, and one that is not is named", (t) => {
  assert.deepEqual(unboundPackages(lockfile), []);
  const good = { version: "1.0.0", integrity: "sha512-x" };
  assert.deepEqual(unboundPackages(withPackage(good)), []);
  assert.match(String(unboundPackages(withPackage({ version: "1.0.0" }))), /^evil has no SHA-512/);
  const elsewhere = { ...good, resolved: "https://evil.example/evil.tgz" };
  assert.match(String(unboundPackages(withPackage(elsewhere))), /^evil does not come from/);
  const bound = Object.values(lockfile.packages).filter(({ integrity }) => integrity !== undefined);
  reportFigure(t, `${bound.length} locked packages with their hashes`);
});

test("no install script runs that nobody read, and a new one is named", () => {
  const { allowScripts } = manifests["package.json"] ?? {};
  assert.deepEqual(undecidedScripts(lockfile, allowScripts), []);
  const scripted = withPackage({ version: "1.0.0", hasInstallScript: true });
  assert.match(
    String(undecidedScripts(scripted, allowScripts)),
    /^evil@1\.0\.0 has an install script/,
  );
});

test("the server has at most 12 suppliers of its own, and a 13th is named", (t) => {
  assert.deepEqual(tooManySuppliers(lockfile, server), []);
  const { length } = ownSuppliers(lockfile, server);
  const more = Array.from({ length: 13 - length }, (_, index) => `evil-${index}`);
  const packages = Object.fromEntries(
    more.map((name) => [`node_modules/${name}`, { version: "1.0.0" }]),
  );
  const dependencies = Object.fromEntries(more.map((name) => [name, "1.0.0"]));
  const found = tooManySuppliers(
    { packages: { ...lockfile.packages, ...packages } },
    { ...server, dependencies: { ...server.dependencies, ...dependencies } },
  );
  assert.match(String(found), /^13 direct dependencies.*evil-0/);
  const names = Object.keys(server.dependencies ?? {}).filter((name) => name !== "@tocsin/sdk");
  reportFigure(t, `${length} of the server's ${names.length} direct dependencies come by no other`);
});

test("a version waits for a week before it is used", () => {
  const now = Date.UTC(2026, 10, 22);
  const one = { packages: { "node_modules/evil": { version: "1.0.0" } } };
  const at = (ageMs: number) => ({ now, times: new Map([["evil@1.0.0", now - ageMs]]) });
  assert.deepEqual(youngVersions(one, at(AGE_MIN_MS)), []);
  assert.match(
    String(youngVersions(one, at(AGE_MIN_MS - 1))),
    /evil@1\.0\.0 was published 167 hours/,
  );
  assert.match(String(youngVersions(one, { now, times: new Map() })), /does not say when/);
});

test("npm itself runs no install script, and no version younger than a week is proposed", () => {
  const npmrc = readFileSync(join(ROOT, ".npmrc"), "utf8");
  assert.match(npmrc, /^ignore-scripts=true$/m);
  const renovate = JSON.parse(readFileSync(join(ROOT, "renovate.json"), "utf8"));
  assert.equal(renovate.minimumReleaseAge, "7 days");
});

test("the bill of materials names all that runs beside us, with its hash and licence", (t) => {
  const { components } = makeSbom();
  const listed = new Set(components.map(({ purl }) => decodeURIComponent(purl)));
  for (const workspace of ["server", "console", "cli"]) {
    const { dependencies = {} } = manifests[`${workspace}/package.json`] ?? {};
    for (const [name, version] of Object.entries(dependencies)) {
      const isOurs = name.startsWith("@tocsin/");
      assert.equal(listed.has(`pkg:npm/${name}@${version}`), !isOurs, name);
    }
  }
  for (const { name, hashes, licenses } of components) {
    assert.equal(hashes[0]?.content.length, 128, name);
    assert.notEqual(licenses?.[0]?.expression ?? "", "", name);
  }
  // One that nobody needs is not listed, one that another brings along is.
  assert.ok(!components.some(({ name }) => name === "typescript" || name === "puppeteer-core"));
  assert.ok(components.some(({ name }) => name === "pg-protocol"));
  reportFigure(t, `${components.length} packages in the bill of materials`);
});

const IS_FULL = sizeOf({ short: 0, full: 1 }) === 1;
const SIGNATURES = {
  skip: IS_FULL ? false : "it asks the registry for each package: npm run security -- S11 does it",
};

test("every installed package is signed by the registry", SIGNATURES, async (t) => {
  const [command, ...first] = npmCommand(process.env);
  const { code, output } = await run(command, [...first, "audit", "signatures"], { cwd: ROOT });
  const isUnreachable = /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|no keys|404|403/i.test(output);
  if (code !== 0 && isUnreachable) {
    t.skip(`the registry gives no signatures here: ${output.trim().split("\n").at(-1)}`);
    return;
  }
  assert.equal(code, 0, output);
  reportFigure(t, /\d+ packages have verified registry signatures/.exec(output)?.[0] ?? output);
});
