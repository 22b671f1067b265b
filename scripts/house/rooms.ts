import { posix } from "node:path";
import { getExportedSource, type Manifest } from "../packages.ts";
import type { Source } from "../source.ts";

/** A function that returns the room of a file; null for a file that belongs to no room. */
export type FindRoom = (path: string) => string | null;

/** The number of rooms, and of ordered pairs in which the first room imports the second. */
export interface Plan {
  readonly rooms: number;
  readonly arrows: number;
}

const DELIVERY_FOLDER = "server/src/delivery/";
const SERVER_FOLDER = "server/src/";
/** Folders next to the server. Tests and benchmarks of the server are not part of the house. */
const OTHER_FOLDERS = ["sdk", "cli", "console", "action", "scripts", "docs"];

/** Returns whether a file is a test, or only tests use it. */
export function isTestFile(path: string): boolean {
  return /\.(?:test|journey|campaigns|fixture)\.tsx?$|^server\/(?:test|bench)\//u.test(path);
}

/**
 * Returns the room of a file in the house: a folder or loose file directly in `server/src`, or a folder next to the
 * server.
 */
export function findHouseRoom(path: string): string | null {
  if (path.startsWith(SERVER_FOLDER)) return getFirstSegment(path, SERVER_FOLDER);
  const [folder = ""] = path.split("/");
  return OTHER_FOLDERS.includes(folder) ? folder : null;
}

/** Returns the room of a file in `delivery/`: a folder or loose file directly in it. */
export function findDeliveryRoom(path: string): string | null {
  return path.startsWith(DELIVERY_FOLDER) ? getFirstSegment(path, DELIVERY_FOLDER) : null;
}

/** Returns the number of files directly in a folder, without tests. */
export function countLooseFiles(sources: readonly Source[], folder: string): number {
  return sources.filter(({ path }) => !isTestFile(path) && posix.dirname(path) === folder).length;
}

/** Returns the plan of a house without its tests; `packages` maps import names of workspace packages to files. */
export function buildPlan(
  sources: readonly Source[],
  {
    findRoom,
    packages,
  }: { readonly findRoom: FindRoom; readonly packages: ReadonlyMap<string, string> },
): Plan {
  const rooms = new Set<string>();
  const arrows = new Set<string>();
  for (const { path, imports } of sources) {
    const from = isTestFile(path) ? null : findRoom(path);
    if (from === null) continue;
    rooms.add(from);
    for (const name of imports) {
      const target = resolveImport(path, name) ?? packages.get(name);
      const to = target === undefined || isTestFile(target) ? null : findRoom(target);
      if (to !== null && to !== from) arrows.add(`${from} ${to}`);
    }
  }
  return { rooms: rooms.size, arrows: arrows.size };
}

/** Returns the file of each import name of the workspace packages. */
export function mapPackageFiles(
  manifests: Readonly<Record<string, Manifest>>,
): ReadonlyMap<string, string> {
  const files = Object.entries(manifests).flatMap(([path, { name = "", exports = {} }]) =>
    Object.entries(exports).map(
      ([part, file]) =>
        [posix.join(name, part), posix.join(posix.dirname(path), getExportedSource(file))] as const,
    ),
  );
  return new Map(files);
}

function resolveImport(from: string, name: string): string | undefined {
  if (name.startsWith("#")) return SERVER_FOLDER + name.slice(1);
  return name.startsWith(".") ? posix.join(posix.dirname(from), name) : undefined;
}

function getFirstSegment(path: string, folder: string): string {
  const [part = ""] = path.slice(folder.length).split("/");
  return part;
}
