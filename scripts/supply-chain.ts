import type { LockedPackage, Lockfile, Manifest } from "./packages.ts";

/** The minimum age of a version, so that others have time to notice a malicious release. */
export const AGE_MIN_MS = 7 * 24 * 60 * 60_000;
/** The maximum number of direct runtime dependencies, without packages that other dependencies need anyway. */
const SUPPLIERS_MAX = 13;
const HOUR_MS = 60 * 60_000;
const REGISTRY = "https://registry.npmjs.org/";

type Packages = Lockfile["packages"];

/**
 * Returns one line per locked package that has no hash or does not come from the registry. For programs of development
 * tools on other platforms, npm writes no hash; Tocsin does not ship them.
 */
export function findUnverifiablePackages({ packages }: Lockfile): readonly string[] {
  return listExternalPackages(packages).flatMap(([folder, locked]) => {
    const { resolved = "", integrity = "" } = locked;
    const name = getPackageName(folder);
    // Without a URL, npm uses the registry.
    if (resolved !== "" && !resolved.startsWith(REGISTRY)) {
      return [`${name} does not come from the registry.`];
    }
    if (integrity.startsWith("sha512-") || isOtherPlatformTool(locked)) return [];
    return [`${name} has no SHA-512 in the lockfile.`];
  });
}

function isOtherPlatformTool({ dev = false, optional = false, os }: LockedPackage): boolean {
  return dev && optional && os !== undefined;
}

/**
 * Returns the direct runtime dependencies that no other direct dependency needs: each is a separate supplier. A package
 * that is installed anyway, and is listed only because Tocsin imports it, does not count.
 */
export function findOwnSuppliers(
  { packages }: Lockfile,
  { folder, dependencies = {} }: Pick<Manifest, "dependencies"> & { readonly folder: string },
): readonly string[] {
  const folderByName = new Map(
    Object.keys(dependencies).map((name) => [
      name,
      resolveFolder(packages, { folder, name }) ?? name,
    ]),
  );
  const directDependencies = [...folderByName].filter(
    ([, target]) => packages[target]?.link !== true,
  );
  return directDependencies
    .filter(([name]) => {
      const otherDependencies = directDependencies.filter(([other]) => other !== name);
      const needed = otherDependencies.flatMap(([, target]) =>
        listDependencyFolders(packages, target),
      );
      return !collectDependencies(packages, needed).has(folderByName.get(name) ?? name);
    })
    .map(([name]) => name);
}

/** Returns one line if there are too many direct suppliers. */
export function findExcessSuppliers(
  lockfile: Lockfile,
  source: Parameters<typeof findOwnSuppliers>[1],
): readonly string[] {
  const suppliers = findOwnSuppliers(lockfile, source);
  if (suppliers.length <= SUPPLIERS_MAX) return [];
  return [
    `${suppliers.length} direct dependencies are more than ${SUPPLIERS_MAX}: ${suppliers.join(", ")}.`,
  ];
}

/** A runtime package with its entry in the lockfile. */
export interface RuntimePackage extends LockedPackage {
  readonly name: string;
  readonly version: string;
}

/** Returns the runtime packages of the workspaces, including transitive ones: one per name and version, sorted. */
export function listRuntimePackages(
  { packages }: Lockfile,
  workspaces: readonly string[],
): readonly RuntimePackage[] {
  const collected = new Map<string, RuntimePackage>();
  for (const folder of collectDependencies(packages, workspaces)) {
    const { version = "", ...locked } = packages[folder] ?? {};
    const name = getPackageName(folder);
    if (folder.includes("node_modules/")) {
      collected.set(`${name}@${version}`, { ...locked, name, version });
    }
  }
  return [...collected.values()].toSorted((one, other) =>
    formatPackageId(one) < formatPackageId(other) ? -1 : 1,
  );
}

/** Returns the name and version of a package as one string. */
export function formatPackageId({ name, version }: RuntimePackage): string {
  return `${name}@${version}`;
}

/** Returns one line per locked version that is younger than a week; `times` are publication times by `name@version`. */
export function findYoungVersions(
  { packages }: Lockfile,
  { times, now }: { readonly times: ReadonlyMap<string, number>; readonly now: number },
): readonly string[] {
  return listExternalPackages(packages).flatMap(([folder, { version = "" }]) => {
    const name = `${getPackageName(folder)}@${version}`;
    const ageMs = now - (times.get(name) ?? Number.NaN);
    if (ageMs >= AGE_MIN_MS) return [];
    return [
      Number.isNaN(ageMs)
        ? `${name}: the registry does not say when it was published.`
        : `${name} was published ${Math.floor(ageMs / HOUR_MS)} hours ago; wait until it is a week old.`,
    ];
  });
}

/** Returns the external packages by their folders. A link points to a workspace. */
function listExternalPackages(
  packages: Packages,
): readonly (readonly [folder: string, entry: LockedPackage])[] {
  return Object.entries(packages).filter(
    ([folder, { link = false }]) => folder.includes("node_modules/") && !link,
  );
}

/** Returns the required peer dependencies of a package, which npm installs with it. */
function listRequiredPeers({
  peerDependencies = {},
  peerDependenciesMeta = {},
}: LockedPackage = {}) {
  return Object.keys(peerDependencies).filter(
    (name) => peerDependenciesMeta[name]?.optional !== true,
  );
}

/** Returns the folders and the folders of all their transitive dependencies. */
function collectDependencies(packages: Packages, folders: readonly string[]): ReadonlySet<string> {
  const collected = new Set<string>();
  const pendingFolders = [...folders];
  for (let folder = pendingFolders.pop(); folder !== undefined; folder = pendingFolders.pop()) {
    const { link = false, resolved = "" } = packages[folder] ?? {};
    // A link points to a workspace.
    const target = link ? resolved : folder;
    if (collected.has(target)) continue;
    collected.add(target);
    pendingFolders.push(...listDependencyFolders(packages, target));
  }
  return collected;
}

function listDependencyFolders(packages: Packages, folder: string): readonly string[] {
  const locked = packages[folder];
  const { dependencies = {}, optionalDependencies = {} } = locked ?? {};
  const names = [dependencies, optionalDependencies].flatMap((list) => Object.keys(list));
  // Some optional dependencies are for other platforms and not installed.
  return [...names, ...listRequiredPeers(locked)].flatMap(
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

/** Returns the name of the package in a folder: `@b/c` for `node_modules/a/node_modules/@b/c`. */
function getPackageName(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}
