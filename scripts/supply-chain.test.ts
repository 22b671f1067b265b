import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { chooseSize, reportFigure } from "../server/test/attacks/bar.ts";
import { run } from "./child.mjs";
import { ROOT } from "./files.ts";
import { getNpmCommand } from "./installation.mjs";
import { readLockfile, readManifests, findUndecidedScripts, type Lockfile } from "./packages.ts";
import { createSbom } from "./sbom.ts";
import {
  AGE_MIN_MS,
  findOwnSuppliers,
  findExcessSuppliers,
  findUnverifiablePackages,
  findYoungVersions,
} from "./supply-chain.ts";

const SHA_512_HEX_DIGITS = 512 / 4;

const lockfile = readLockfile();
const manifests = readManifests();
const server = { folder: "server", ...manifests["server/package.json"] };

/** Returns the lockfile with one more package. */
function addPackage(locked: Lockfile["packages"][string]): Lockfile {
  return { packages: { ...lockfile.packages, "node_modules/evil": locked } };
}

test("every locked package has a hash and comes from the registry, and any other package is reported", (t) => {
  assert.deepEqual(findUnverifiablePackages(lockfile), []);
  const verifiablePackage = { version: "1.0.0", integrity: "sha512-x" };
  assert.deepEqual(findUnverifiablePackages(addPackage(verifiablePackage)), []);
  assert.match(
    String(findUnverifiablePackages(addPackage({ version: "1.0.0" }))),
    /^evil has no SHA-512/,
  );
  const otherRegistry = { ...verifiablePackage, resolved: "https://evil.example/evil.tgz" };
  assert.match(
    String(findUnverifiablePackages(addPackage(otherRegistry))),
    /^evil does not come from/,
  );
  const hashedPackages = Object.values(lockfile.packages).filter(
    ({ integrity }) => integrity !== undefined,
  );
  reportFigure(t, `${hashedPackages.length} locked packages with their hashes`);
});

test("every install script has a decision, and a new script is reported", () => {
  const { allowScripts } = manifests["package.json"] ?? {};
  assert.deepEqual(findUndecidedScripts(lockfile, allowScripts), []);
  const scripted = addPackage({ version: "1.0.0", hasInstallScript: true });
  assert.match(
    String(findUndecidedScripts(scripted, allowScripts)),
    /^evil@1\.0\.0 has an install script/,
  );
});

test("the server has at most 13 direct suppliers, and a 14th is reported", (t) => {
  assert.deepEqual(findExcessSuppliers(lockfile, server), []);
  const { length } = findOwnSuppliers(lockfile, server);
  const extraNames = Array.from({ length: 14 - length }, (_, index) => `evil-${index}`);
  const packages = Object.fromEntries(
    extraNames.map((name) => [`node_modules/${name}`, { version: "1.0.0" }]),
  );
  const dependencies = Object.fromEntries(extraNames.map((name) => [name, "1.0.0"]));
  const problems = findExcessSuppliers(
    { packages: { ...lockfile.packages, ...packages } },
    { ...server, dependencies: { ...server.dependencies, ...dependencies } },
  );
  assert.match(String(problems), /^14 direct dependencies.*evil-0/);
  const names = Object.keys(server.dependencies ?? {}).filter((name) => name !== "@tocsin/sdk");
  reportFigure(
    t,
    `${length} of the server's ${names.length} direct dependencies are brought in by no other`,
  );
});

test("a version is refused until it is a week old", () => {
  const now = Date.UTC(2026, 10, 22);
  const lockfileWithEvil = { packages: { "node_modules/evil": { version: "1.0.0" } } };
  const createTimes = (ageMs: number) => ({ now, times: new Map([["evil@1.0.0", now - ageMs]]) });
  assert.deepEqual(findYoungVersions(lockfileWithEvil, createTimes(AGE_MIN_MS)), []);
  assert.match(
    String(findYoungVersions(lockfileWithEvil, createTimes(AGE_MIN_MS - 1))),
    /evil@1\.0\.0 was published 167 hours/,
  );
  assert.match(
    String(findYoungVersions(lockfileWithEvil, { now, times: new Map() })),
    /does not say when/,
  );
});

test("npm runs no install scripts, and Renovate proposes no version younger than a week", () => {
  const npmrc = readFileSync(join(ROOT, ".npmrc"), "utf8");
  assert.match(npmrc, /^ignore-scripts=true$/m);
  const renovate = JSON.parse(readFileSync(join(ROOT, "renovate.json"), "utf8"));
  assert.equal(renovate.minimumReleaseAge, "7 days");
});

test("the bill of materials lists all runtime packages with hash and licence", (t) => {
  const { components } = createSbom();
  const listedPackages = new Set(components.map(({ purl }) => decodeURIComponent(purl)));
  for (const workspace of ["server", "console", "cli"]) {
    const { dependencies = {} } = manifests[`${workspace}/package.json`] ?? {};
    for (const [name, version] of Object.entries(dependencies)) {
      const isOwnPackage = name.startsWith("@tocsin/");
      assert.equal(listedPackages.has(`pkg:npm/${name}@${version}`), !isOwnPackage, name);
    }
  }
  for (const { name, hashes, licenses } of components) {
    assert.equal(hashes[0]?.content.length, SHA_512_HEX_DIGITS, name);
    assert.notEqual(licenses?.[0]?.expression ?? "", "", name);
  }
  // Development tools are not listed; transitive runtime dependencies are.
  assert.ok(!components.some(({ name }) => name === "typescript" || name === "puppeteer-core"));
  assert.ok(components.some(({ name }) => name === "pg-protocol"));
  reportFigure(t, `${components.length} packages in the bill of materials`);
});

const IS_FULL = chooseSize({ short: 0, full: 1 }) === 1;
const SIGNATURES = {
  skip: IS_FULL ? false : "it asks the registry for each package: npm run security -- S11 does it",
};

test("every installed package is signed by the registry", SIGNATURES, async (t) => {
  const [command, ...npmArgs] = getNpmCommand(process.env);
  const { code, output } = await run(command, [...npmArgs, "audit", "signatures"], { cwd: ROOT });
  const isUnreachable = /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|no keys|404|403/i.test(output);
  if (code !== 0 && isUnreachable) {
    t.skip(`the registry gives no signatures here: ${output.trim().split("\n").at(-1)}`);
    return;
  }
  assert.equal(code, 0, output);
  reportFigure(t, /\d+ packages have verified registry signatures/.exec(output)?.[0] ?? output);
});
