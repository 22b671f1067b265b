// npm run sbom [-- --to=FILE]  writes the runtime dependencies in CycloneDX format; the default is dist/sbom.cdx.json
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ROOT } from "./files.ts";
import { findFlagValue } from "./flags.ts";
import { readLockfile, readManifests } from "./packages.ts";
import { listRuntimePackages, type RuntimePackage } from "./supply-chain.ts";

if (import.meta.main)
  await writeSbom(findFlagValue("to", process.argv.slice(2)) ?? "dist/sbom.cdx.json");

async function writeSbom(path: string): Promise<void> {
  const target = resolve(ROOT, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, `${JSON.stringify(createSbom(), null, 2)}\n`);
  console.log(path);
}

/**
 * Returns the bill of materials (CycloneDX 1.5) of the locked runtime packages. `npm sbom --omit=dev` would omit
 * packages that development needs too, such as PostgreSQL's driver.
 */
export function createSbom() {
  const workspaces = readManifests()["package.json"]?.workspaces ?? [];
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: { type: "application", name: "tocsin", licenses: toLicenses("Apache-2.0") },
    },
    components: listRuntimePackages(readLockfile(), workspaces).map(toComponent),
  } as const;
}

function toComponent({ name, version, integrity = "", license }: RuntimePackage) {
  // package-url.org requires the `@` of a scoped name to be encoded.
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const content = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    hashes: [{ alg: "SHA-512", content }],
    ...(license === undefined ? {} : { licenses: toLicenses(license) }),
  };
}

/** Returns a licence in CycloneDX form. A single licence is a valid SPDX expression, too. */
function toLicenses(expression: string) {
  return [{ expression }];
}
