// npm run sbom [-- --to=FILE]  writes the runtime dependencies in CycloneDX format; the default is dist/sbom.cdx.json
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ROOT } from "./files.ts";
import { valueOf } from "./flags.ts";
import { readLockfile, readManifests } from "./packages.ts";
import { runtimePackages, type RuntimePackage } from "./supply-chain.ts";

if (import.meta.main) await write(valueOf("to", process.argv.slice(2)) ?? "dist/sbom.cdx.json");

async function write(path: string): Promise<void> {
  const to = resolve(ROOT, path);
  await mkdir(dirname(to), { recursive: true });
  await writeFile(to, `${JSON.stringify(makeSbom(), null, 2)}\n`);
  console.log(path);
}

/**
 * Returns the bill of materials (CycloneDX 1.5) of the locked runtime packages. `npm sbom --omit=dev` would omit packages that
 * development needs too, such as PostgreSQL's driver.
 */
export function makeSbom() {
  const workspaces = readManifests()["package.json"]?.workspaces ?? [];
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: { type: "application", name: "tocsin", licenses: toLicenses("Apache-2.0") },
    },
    components: runtimePackages(readLockfile(), workspaces).map(toComponent),
  } as const;
}

function toComponent({ name, version, integrity = "", license }: RuntimePackage) {
  // A scoped name as package-url.org specifies it.
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

/** A single licence is a valid SPDX expression, too. */
function toLicenses(expression: string) {
  return [{ expression }];
}
