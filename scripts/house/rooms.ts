import { posix } from "node:path";
import type { Manifest } from "../packages.ts";
import type { Source } from "../source.ts";

/** Returns the room of a file; null for a file that belongs to no room. */
export type RoomOf = (path: string) => string | null;

/** The number of rooms, and of ordered pairs in which the first room imports the second. */
export interface Plan {
  readonly rooms: number;
  readonly arrows: number;
}

const DELIVERY = "server/src/delivery/";
const SERVER = "server/src/";
/** Folders next to the server. Tests and benchmarks of the server are not part of the house. */
const OTHER_FOLDERS = ["sdk", "cli", "console", "action", "scripts", "docs"];

/** Returns true for tests and for files that only tests use. */
export function isTest(path: string): boolean {
  return /\.(?:test|journey|campaigns|fixture)\.tsx?$|^server\/(?:test|bench)\//u.test(path);
}

/** Returns a folder or loose file directly in `server/src`, or a folder next to the server. */
export function roomOfHouse(path: string): string | null {
  if (path.startsWith(SERVER)) return firstSegment(path, SERVER);
  const [folder = ""] = path.split("/");
  return OTHER_FOLDERS.includes(folder) ? folder : null;
}

/** Returns a folder or loose file directly in `delivery/`. */
export function roomOfDelivery(path: string): string | null {
  return path.startsWith(DELIVERY) ? firstSegment(path, DELIVERY) : null;
}

/** Returns the number of files directly in a folder, without tests. */
export function looseFiles(sources: readonly Source[], folder: string): number {
  return sources.filter(({ path }) => !isTest(path) && posix.dirname(path) === folder).length;
}

/** Returns the plan of a house without its tests; `packages` maps import names of workspace packages to files. */
export function buildPlan(
  sources: readonly Source[],
  { roomOf, packages }: { readonly roomOf: RoomOf; readonly packages: ReadonlyMap<string, string> },
): Plan {
  const rooms = new Set<string>();
  const arrows = new Set<string>();
  for (const { path, imports } of sources) {
    const from = isTest(path) ? null : roomOf(path);
    if (from === null) continue;
    rooms.add(from);
    for (const name of imports) {
      const target = resolveImport(path, name) ?? packages.get(name);
      const to = target === undefined || isTest(target) ? null : roomOf(target);
      if (to !== null && to !== from) arrows.add(`${from} ${to}`);
    }
  }
  return { rooms: rooms.size, arrows: arrows.size };
}

/** Returns the file of each import name of the workspace packages. */
export function packageFiles(
  manifests: Readonly<Record<string, Manifest>>,
): ReadonlyMap<string, string> {
  const files = Object.entries(manifests).flatMap(([path, { name = "", exports = {} }]) =>
    Object.entries(exports).map(
      ([part, file]) => [posix.join(name, part), posix.join(posix.dirname(path), file)] as const,
    ),
  );
  return new Map(files);
}

function resolveImport(from: string, name: string): string | undefined {
  if (name.startsWith("#")) return SERVER + name.slice(1);
  return name.startsWith(".") ? posix.join(posix.dirname(from), name) : undefined;
}

function firstSegment(path: string, folder: string): string {
  const [part = ""] = path.slice(folder.length).split("/");
  return part;
}
