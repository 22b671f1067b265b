import type { LockedPackage, Lockfile, Manifest } from "./packages.ts";

/** A version is not used before somebody had this long to notice what is wrong with it. */
export const AGE_MIN_MS = 7 * 24 * 60 * 60_000;
/** Direct dependencies of what runs, beside those that others of them bring along anyway. */
const DIRECT_MAX = 12;
const REGISTRY = "https://registry.npmjs.org/";

type Packages = Lockfile["packages"];

/**
 * Returns one line per locked package that is not bound to a hash, or comes from elsewhere than the registry. npm writes no hash
 * of the development tools' programs for other platforms than the one it wrote the lockfile on: nothing of ours ships those.
 */
export function unboundPackages({ packages }: Lockfile): readonly string[] {
  return outside(packages).flatMap(([folder, locked]) => {
    const { resolved = "", integrity = "" } = locked;
    const name = nameOf(folder);
    // Where nothing is said, it is the registry.
    if (resolved !== "" && !resolved.startsWith(REGISTRY)) {
      return [`${name} does not come from the registry.`];
    }
    if (integrity.startsWith("sha512-") || isToolElsewhere(locked)) return [];
    return [`${name} has no SHA-512 in the lockfile.`];
  });
}

function isToolElsewhere({ dev = false, optional = false, os }: LockedPackage): boolean {
  return dev && optional && os !== undefined;
}

/**
 * Returns the direct runtime dependencies that nothing else among them brings along: each is a supplier of its own. One that
 * is there anyway, and is only named because we import it, is not.
 */
export function ownSuppliers(
  { packages }: Lockfile,
  { folder, dependencies = {} }: Pick<Manifest, "dependencies"> & { readonly folder: string },
): readonly string[] {
  const places = new Map(
    Object.keys(dependencies).map((name) => [name, placeOf(packages, { folder, name }) ?? name]),
  );
  const direct = [...places].filter(([, place]) => packages[place]?.link !== true);
  return direct
    .filter(([name]) => {
      const others = direct.filter(([other]) => other !== name);
      const brought = others.flatMap(([, place]) => neededBy(packages, place));
      return !reached(packages, brought).has(places.get(name) ?? name);
    })
    .map(([name]) => name);
}

/** Returns one line where too many suppliers were let in. */
export function tooManySuppliers(
  lockfile: Lockfile,
  source: Parameters<typeof ownSuppliers>[1],
): readonly string[] {
  const own = ownSuppliers(lockfile, source);
  if (own.length <= DIRECT_MAX) return [];
  return [`${own.length} direct dependencies, and not ${DIRECT_MAX}: ${own.join(", ")}.`];
}

/** A package that runs beside us, as the lockfile has it. */
export interface RuntimePackage extends LockedPackage {
  readonly name: string;
  readonly version: string;
}

/** Returns what the folders of the workspaces need to run, with all that it brings along: of each version one, by name. */
export function runtimePackages(
  { packages }: Lockfile,
  workspaces: readonly string[],
): readonly RuntimePackage[] {
  const found = new Map<string, RuntimePackage>();
  for (const folder of reached(packages, workspaces)) {
    const { version = "", ...locked } = packages[folder] ?? {};
    const name = nameOf(folder);
    if (folder.includes("node_modules/")) {
      found.set(`${name}@${version}`, { ...locked, name, version });
    }
  }
  return [...found.values()].toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

/** Returns a package by the name and version of it. */
export function idOf({ name, version }: RuntimePackage): string {
  return `${name}@${version}`;
}

/** Returns one line per locked version that is younger than a week; `times` are those of its publication, by `name@version`. */
export function youngVersions(
  { packages }: Lockfile,
  { times, now }: { readonly times: ReadonlyMap<string, number>; readonly now: number },
): readonly string[] {
  return outside(packages).flatMap(([folder, { version = "" }]) => {
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

/** Packages installed from elsewhere; a link leads to one of ours. */
function outside(packages: Packages): readonly (readonly [string, LockedPackage])[] {
  return Object.entries(packages).filter(
    ([folder, { link = false }]) => folder.includes("node_modules/") && !link,
  );
}

/** Packages that npm installs because another one depends on them. */
function peersOf({ peerDependencies = {}, peerDependenciesMeta = {} }: LockedPackage = {}) {
  return Object.keys(peerDependencies).filter(
    (name) => peerDependenciesMeta[name]?.optional !== true,
  );
}

/** The folders of all that some of them bring along, themselves included. */
function reached(packages: Packages, folders: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...folders];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const { link = false, resolved = "" } = packages[folder] ?? {};
    // A link leads to one of ours.
    const place = link ? resolved : folder;
    if (found.has(place)) continue;
    found.add(place);
    waiting.push(...neededBy(packages, place));
  }
  return found;
}

function neededBy(packages: Packages, folder: string): readonly string[] {
  const locked = packages[folder];
  const { dependencies = {}, optionalDependencies = {} } = locked ?? {};
  const names = [dependencies, optionalDependencies].flatMap((list) => Object.keys(list));
  // Of what is optional, some is for other platforms and not there.
  return [...names, ...peersOf(locked)].flatMap(
    (name) => placeOf(packages, { folder, name }) ?? [],
  );
}

/** Where Node finds a package that is imported in a folder: nearest first. */
function placeOf(
  packages: Packages,
  { folder, name }: { readonly folder: string; readonly name: string },
): string | null {
  for (let from = folder; ; from = from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/")))) {
    const place = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
    if (place in packages) return place;
    if (from === "") return null;
  }
}

/** `node_modules/a/node_modules/@b/c` holds the package `@b/c`. */
function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}
