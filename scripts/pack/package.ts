import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "../child.mjs";
import { ROOT, listSourceFiles } from "../files.ts";
import { toJavascript, rewriteTsSpecifiers } from "./to-javascript.ts";
import {
  createInnerManifest,
  createPublishedManifest,
  type WorkspaceManifest,
} from "./manifest.ts";

/** A workspace as it is published. */
export interface Package {
  readonly workspace: string;
  /** The folders of the workspace to include, without their tests. */
  readonly folders: readonly string[];
  /** The folder of the workspace in its package: "" or a path that ends in a slash. */
  readonly base: string;
  /** The entry file for types, if the package publishes types. */
  readonly typesEntry?: string;
  /** Built folders that are copied unchanged, by their paths from the root. */
  readonly built: readonly string[];
}

/** The published packages. */
export const PACKAGES: readonly Package[] = [
  { workspace: "sdk", folders: ["src"], base: "", typesEntry: "src/index.ts", built: [] },
  {
    workspace: "server",
    // The demo uses the doubles of the push services.
    folders: ["src", "test/doubles"],
    // As in the repository, the console is next to the server.
    base: "server/",
    built: ["console/dist"],
  },
  { workspace: "cli", folders: ["src"], base: "", built: [] },
];

/** Builds the published package of a workspace in an empty folder. */
export async function buildPackage(source: Package, folder: string): Promise<void> {
  const { workspace, base, typesEntry, built } = source;
  const text = await readFile(join(ROOT, workspace, "package.json"), "utf8");
  // npm has already parsed this file.
  const manifest = JSON.parse(text) as WorkspaceManifest;
  const { engines } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    readonly engines: Readonly<Record<string, string>>;
  };
  const isTyped = typesEntry !== undefined;
  const published = createPublishedManifest(manifest, { base, isTyped, engines });
  await writeJson(join(folder, "package.json"), published);
  if (base !== "")
    await writeJson(join(folder, base, "package.json"), createInnerManifest(manifest));
  for (const path of listSources(source)) await addJavascript(source, { path, folder });
  if (typesEntry !== undefined)
    await addTypes(join(ROOT, workspace, typesEntry), join(folder, "src"));
  for (const path of built) await cp(join(ROOT, path), join(folder, path), { recursive: true });
  await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  const readme = join(ROOT, workspace, "README.md");
  if (existsSync(readme)) await cp(readme, join(folder, "README.md"));
  for (const bin of Object.values(manifest.bin ?? {})) {
    await chmod(join(folder, base, bin.replace(/\.ts$/, ".js")), 0o755);
  }
}

async function writeJson(path: string, value: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

function listSources({ workspace, folders }: Package): readonly string[] {
  const prefixes = folders.map((folder) => `${workspace}/${folder}/`);
  return listSourceFiles()
    .filter((path) => prefixes.some((folder) => path.startsWith(folder)))
    .filter((path) => path.endsWith(".ts") && !/\.(?:test|fixture)\.ts$/.test(path))
    .map((path) => path.slice(workspace.length + 1));
}

async function addJavascript(
  { workspace, base }: Package,
  { path, folder }: { readonly path: string; readonly folder: string },
): Promise<void> {
  const target = join(folder, base, path.replace(/\.ts$/, ".js"));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, toJavascript(await readFile(join(ROOT, workspace, path), "utf8")));
}

/** Writes declarations with the compiler, and rewrites their specifiers, in which the compiler keeps `.ts`. */
async function addTypes(entry: string, folder: string): Promise<void> {
  const options = ["--declaration", "--emitDeclarationOnly", "--outDir", folder];
  const settings = [
    "--target",
    "es2024",
    "--module",
    "nodenext",
    "--lib",
    "es2024,dom,dom.iterable",
  ];
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--allowImportingTsExtensions"];
  const args = ["--ignoreConfig", ...options, ...settings, ...strict, "--types", "", entry];
  const { code, output } = await run("tsc", args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  if (code !== 0) throw new Error(`The declarations could not be built:\n${output}`);
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    const path = join(folder, name);
    await writeFile(path, rewriteTsSpecifiers(await readFile(path, "utf8")));
  }
}
