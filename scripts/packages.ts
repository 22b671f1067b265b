import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./files.ts";

/** The file of each import path, or its files by condition. */
export type Exports = Readonly<Record<string, string | { readonly default: string }>>;

/** Returns the source file of an export. */
export function getExportedSource(file: Exports[string]): string {
  return typeof file === "string" ? file : file.default;
}

/** The fields read of a package.json. */
export interface Manifest {
  readonly name?: string;
  readonly exports?: Exports;
  readonly workspaces?: readonly string[];
  /** Whether the install script of a package may run, by `name` or `name@version`. */
  readonly allowScripts?: Readonly<Record<string, boolean>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The fields read of a package-lock.json, version 3: packages by their folder. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The fields read of a package in the lockfile. */
export interface LockedPackage {
  readonly version?: string;
  /** The URL that the package was downloaded from. */
  readonly resolved?: string;
  readonly integrity?: string;
  /** True for a package of this repository. */
  readonly link?: boolean;
  /** True for a package that only development needs. */
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** The platforms that the package supports. */
  readonly os?: readonly string[];
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly hasInstallScript?: boolean;
}

const EXACT_VERSION = /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/u;

/** Returns the package.json files of the root and its workspaces, by their paths. */
export function readManifests(): Readonly<Record<string, Manifest>> {
  const root = readManifest("package.json");
  const paths = (root.workspaces ?? []).map((folder) => `${folder}/package.json`);
  const workspaceManifests = paths.map((path) => [path, readManifest(path)] as const);
  return { "package.json": root, ...Object.fromEntries(workspaceManifests) };
}

/** Returns the committed lockfile. */
export function readLockfile(): Lockfile {
  return JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lockfile;
}

/** Returns one line per dependency whose version is a range, a tag or a URL. */
export function findInexactVersions(
  manifests: Readonly<Record<string, Manifest>>,
): readonly string[] {
  return Object.entries(manifests).flatMap(([path, manifest]) =>
    [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies]
      .flatMap((dependencies) => Object.entries(dependencies ?? {}))
      .filter(([, version]) => !EXACT_VERSION.test(version))
      .map(([name, version]) => `${path}: ${name} is ${version}; write one exact version.`),
  );
}

/**
 * Returns one line per package with an install script that `allowScripts` does not decide on, and one per decision on a
 * missing package. Packages for other platforms count, because they run there.
 */
export function findUndecidedScripts(
  { packages }: Lockfile,
  allowScripts: Readonly<Record<string, boolean>> = {},
): readonly string[] {
  const scripted = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([folder, { version }]) => ({ name: getPackageName(folder), version: version ?? "" }));
  const getDecisionNames = ({ name, version }: (typeof scripted)[number]) => [
    name,
    `${name}@${version}`,
  ];
  const undecided = scripted.filter(
    (script) => !getDecisionNames(script).some((name) => name in allowScripts),
  );
  const decidable = new Set(scripted.flatMap(getDecisionNames));
  return [
    ...undecided.map(
      ({ name, version }) =>
        `${name}@${version} has an install script: read it, then say in allowScripts of package.json whether it may run.`,
    ),
    ...Object.keys(allowScripts)
      .filter((name) => !decidable.has(name))
      .map((name) => `allowScripts names ${name}, which has no install script here.`),
  ];
}

/** Returns the name of the package in a folder: `@b/c` for `node_modules/a/node_modules/@b/c`. */
function getPackageName(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}

function readManifest(path: string): Manifest {
  // npm refuses a malformed package.json or lockfile before this script can run.
  return JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Manifest;
}
