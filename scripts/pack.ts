// npm run pack [-- --to=FOLDER]  builds the published packages as npm tarballs; the default folder is dist/packages
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { run } from "./child.mjs";
import { ROOT } from "./files.ts";
import { getNpmCommand } from "./installation.mjs";
import { buildPackage, PACKAGES } from "./pack/package.ts";

// Node warns that type stripping is experimental; the caller can do nothing about it.
process.removeAllListeners("warning");
const { values } = parseArgs({ options: { to: { type: "string", default: "dist/packages" } } });
const targetFolder = resolve(ROOT, values.to);
const drafts = await mkdtemp(join(tmpdir(), "tocsin-pack-"));
try {
  await mkdir(targetFolder, { recursive: true });
  for (const source of PACKAGES) {
    const folder = join(drafts, source.workspace);
    await buildPackage(source, folder);
    console.log(join(values.to, await packFolder(folder)));
  }
} finally {
  await rm(drafts, { recursive: true });
}

/** Packs a folder with npm and returns the name of the tarball. */
async function packFolder(folder: string): Promise<string> {
  const [command, ...npmArgs] = getNpmCommand(process.env);
  const options = ["--pack-destination", targetFolder, "--json", "--loglevel=error"];
  const { code, output } = await run(command, [...npmArgs, "pack", folder, ...options], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (code !== 0) throw new Error(`npm could not pack ${folder}.`);
  const [tarball] = JSON.parse(output) as readonly { readonly filename: string }[];
  if (tarball === undefined) throw new Error(`npm reported no tarball of ${folder}.`);
  return tarball.filename;
}
