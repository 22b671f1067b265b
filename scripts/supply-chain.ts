import type { LockedPackage, Lockfile, Manifest } from "./packages.ts";

/** The minimum age of a version, so that others have time to notice a malicious release. */
export const AGE_MIN_MS = 7 * 24 * 60 * 60_000;
/** The limit of direct runtime dependencies, without packages that other dependencies need anyway. */
const DIRECT_MAX = 12;
const REGISTRY = "https://registry.npmjs.org/";

type Packages = Lockfile["packages"];

/**
 * Returns one line per locked package that has no hash or does not come from the registry. For programs of development tools
 * on other platforms, npm writes no hash; Tocsin does not ship them.
 */
export function unboundPackages({ packages }: Lockfile): readonly string[] {
  return externalPackages(packages).flatMap(([folder, locked]) => {
    const { resolved = "", integrity = "" } = locked;
    const name = nameOf(folder);
    // Without a URL, npm uses the registry.
    if (resolved !== "" && !resolved.startsWith(REGISTRY)) {
      return [`${name} does not come from the registry.`];
    }
    if (integrity.startsWith("sha512-") || isForeignTool(locked)) return [];
    return [`${name} has no SHA-512 in the lockfile.`];
  });
}

function isForeignTool({ dev = false, optional = false, os }: LockedPackage): boolean {
  return dev && optional && os !== undefined;
}

/**
 * Returns the direct runtime dependencies that no other direct dependency needs: each is a separate supplier. A package that
 * is installed anyway, and is listed only because Tocsin imports it, does not count.
 */
export function ownSuppliers(
  { packages }: Lockfile,
  { folder, dependencies = {} }: Pick<Manifest, "dependencies"> & { readonly folder: string },
): readonly string[] {
  const folderByName = new Map(
    Object.keys(dependencies).map((name) => [
      name,
      resolveFolder(packages, { folder, name }) ?? name,
    ]),
  );
  const direct = [...folderByName].filter(([, target]) => packages[target]?.link !== true);
  return direct
    .filter(([name]) => {
      const others = direct.filter(([other]) => other !== name);
      const needed = others.flatMap(([, target]) => dependencyFolders(packages, target));
      return !withDependencies(packages, needed).has(folderByName.get(name) ?? name);
    })
    .map(([name]) => name);
}

/** Returns one line if there are too many direct suppliers. */
export function tooManySuppliers(
  lockfile: Lockfile,
  source: Parameters<typeof ownSuppliers>[1],
): readonly string[] {
  const suppliers = ownSuppliers(lockfile, source);
  if (suppliers.length <= DIRECT_MAX) return [];
  return [
    `${suppliers.length} direct dependencies, and not ${DIRECT_MAX}: ${suppliers.join(", ")}.`,
  ];
}

/** A runtime package with its entry in the lockfile. */
export interface RuntimePackage extends LockedPackage {
  readonly name: string;
  readonly version: string;
}

/** Returns the runtime packages of the workspaces, including transitive ones: one per name and version, sorted. */
export function runtimePackages(
  { packages }: Lockfile,
  workspaces: readonly string[],
): readonly RuntimePackage[] {
  const collected = new Map<string, RuntimePackage>();
  for (const folder of withDependencies(packages, workspaces)) {
    const { version = "", ...locked } = packages[folder] ?? {};
    const name = nameOf(folder);
    if (folder.includes("node_modules/")) {
      collected.set(`${name}@${version}`, { ...locked, name, version });
    }
  }
  return [...collected.values()].toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

/** Returns the name and version of a package as one string. */
export function idOf({ name, version }: RuntimePackage): string {
  return `${name}@${version}`;
}

/** Returns one line per locked version that is younger than a week; `times` are publication times by `name@version`. */
export function youngVersions(
  { packages }: Lockfile,
  { times, now }: { readonly times: ReadonlyMap<string, number>; readonly now: number },
): readonly string[] {
  return externalPackages(packages).flatMap(([folder, { version = "" }]) => {
    const name = `${nameOf(folder)}@${version}`;
    const ageMs = now - (times.get(name) ?? Number.NaN);
    if (ageMs >= AGE_MIN_MS) return [];
    return [
      Number.isNaN(ageMs)
        ? `${name}: the registry does not say when it was published.`
        : `${name} was published ${Math.floor(ageMs / 3_600_000)} hours ago; wait until it is a week old.`,
    ];
  });
}

/** Returns the external packages; a link points to a workspace. */
function externalPackages(packages: Packages): readonly (readonly [string, LockedPackage])[] {
  return Object.entries(packages).filter(
    ([folder, { link = false }]) => folder.includes("node_modules/") && !link,
  );
}

/** Returns the required peer dependencies of a package, which npm installs with it. */
function peersOf({ peerDependencies = {}, peerDependenciesMeta = {} }: LockedPackage = {}) {
  return Object.keys(peerDependencies).filter(
    (name) => peerDependenciesMeta[name]?.optional !== true,
  );
}

/** Returns the folders and the folders of all their transitive dependencies. */
function withDependencies(packages: Packages, folders: readonly string[]): ReadonlySet<string> {
  const collected = new Set<string>();
  const waiting = [...folders];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const { link = false, resolved = "" } = packages[folder] ?? {};
    // A link points to a workspace.
    const target = link ? resolved : folder;
    if (collected.has(target)) continue;
    collected.add(target);
    waiting.push(...dependencyFolders(packages, target));
  }
  return collected;
}

function dependencyFolders(packages: Packages, folder: string): readonly string[] {
  const locked = packages[folder];
  const { dependencies = {}, optionalDependencies = {} } = locked ?? {};
  const names = [dependencies, optionalDependencies].flatMap((list) => Object.keys(list));
  // Some optional dependencies are for other platforms and not installed.
  return [...names, ...peersOf(locked)].flatMap(
    (name) => resolveFolder(packages, { folder, name }) ?? [],
  );
}

/** Returns the folder of a package as Node resolves it from a folder: nearest first. */
function resolveFolder(
  packages: Packages,
  { folder, name }: { readonly folder: string; readonly name: string },
): string | null {
  for (let from = folder; ; from = from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/")))) {
    const target = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
    if (target in packages) return target;
    if (from === "") return null;
  }
}

/** `node_modules/a/node_modules/@b/c` holds the package `@b/c`. */
function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}
