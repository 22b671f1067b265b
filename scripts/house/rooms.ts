import { posix } from "node:path";
import type { Manifest } from "../packages.ts";
import type { Source } from "../source.ts";

/** Returns the room that a file is in, or null for a file that counts for none. */
export type RoomOf = (path: string) => string | null;

/** Rooms, and the ordered pairs of rooms of which the first imports the second. */
export interface Plan {
  readonly rooms: number;
  readonly arrows: number;
}

const DELIVERY = "server/src/delivery/";
const SERVER = "server/src/";
/** Beside the server; its tests and benchmarks are no part of the house. */
const BESIDE = ["sdk", "cli", "console", "action", "scripts", "docs"];

/** Returns true for tests and what only they use. */
export function isTest(path: string): boolean {
  return /\.(?:test|journey|campaigns|fixture)\.tsx?$|^server\/(?:test|bench)\//u.test(path);
}

/** A room of the house is a folder or loose file directly in `server/src`, or a folder beside the server. */
export function roomOfHouse(path: string): string | null {
  if (path.startsWith(SERVER)) return firstPart(path, SERVER);
  const [folder = ""] = path.split("/");
  return BESIDE.includes(folder) ? folder : null;
}

/** A room of `delivery/` is a folder or loose file directly in it. */
export function roomOfDelivery(path: string): string | null {
  return path.startsWith(DELIVERY) ? firstPart(path, DELIVERY) : null;
}

/** Returns how many files stand directly in a folder; tests do not count. */
export function looseFiles(sources: readonly Source[], folder: string): number {
  return sources.filter(({ path }) => !isTest(path) && posix.dirname(path) === folder).length;
}

/** Returns the plan of a house without its tests; `packages` says which file a package of ours has under a name. */
export function planOf(
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
      const target = targetOf(path, name) ?? packages.get(name);
      const to = target === undefined || isTest(target) ? null : roomOf(target);
      if (to !== null && to !== from) arrows.add(`${from} ${to}`);
    }
  }
  return { rooms: rooms.size, arrows: arrows.size };
}

/** Returns the file behind each name by which a package of ours is imported. */
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

function targetOf(from: string, name: string): string | undefined {
  if (name.startsWith("#")) return SERVER + name.slice(1);
  return name.startsWith(".") ? posix.join(posix.dirname(from), name) : undefined;
}

function firstPart(path: string, folder: string): string {
  const [part = ""] = path.slice(folder.length).split("/");
  return part;
}
