// npm run sbom [-- --to=FILE]: writes what runs beside us into dist/sbom.cdx.json, in CycloneDX.
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
 * Returns the bill of materials in CycloneDX 1.5 of what the lockfile has for what runs. `npm sbom --omit=dev` leaves out what
 * development needs as well, PostgreSQL's driver among it.
 */
export function makeSbom() {
  const workspaces = readManifests()["package.json"]?.workspaces ?? [];
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: { type: "application", name: "tocsin", licenses: licensesOf("Apache-2.0") },
    },
    components: runtimePackages(readLockfile(), workspaces).map(componentOf),
  } as const;
}

function componentOf({ name, version, integrity = "", license }: RuntimePackage) {
  // As package-url.org writes names with a scope.
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const content = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    hashes: [{ alg: "SHA-512", content }],
    ...(license === undefined ? {} : { licenses: licensesOf(license) }),
  };
}

/** An SPDX expression holds for single licences too. */
function licensesOf(expression: string) {
  return [{ expression }];
}
