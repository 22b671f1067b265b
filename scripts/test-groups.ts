import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export interface GroupOptions {
  /** Files of one process at most. */
  readonly size: number;
  /** True for a file that needs a process of its own. */
  readonly isAlone: (file: string) => boolean;
  /** True for a file that begins before all others. */
  readonly isFirst: (file: string) => boolean;
  /** The folder that the paths of the files are relative to. */
  readonly root: string;
  /** Gets a file for each group, by the name of what it holds: several runs may share it. */
  readonly folder: string;
}

/** Ends a process that its tests would keep. */
const LEFT_BEHIND = join(import.meta.dirname, "left-behind.mjs");
/** Keeps memory flat, however many tests a process runs. */
const RELEASED_HOOKS = join(import.meta.dirname, "released-hooks.mjs");

/**
 * Returns files for the test runner, in the order of those given, of which some stand for several: the runner gives each file a
 * process, and half of what a test file costs is to load the server. The runner itself begins in the order of their paths, in
 * which ours come before those of the repository.
 */
export function groupTests(files: readonly string[], options: GroupOptions): readonly string[] {
  const { size, isAlone, isFirst, root, folder } = options;
  mkdirSync(folder, { recursive: true });
  const isOwn = (file: string) => isAlone(file) || isFirst(file);
  const groups: string[][] = [];
  for (const file of files) {
    const last = groups.at(-1);
    const [first = ""] = last ?? [];
    const isFull = last === undefined || last.length >= size || isOwn(first);
    if (isFull || isOwn(file)) groups.push([file]);
    else last.push(file);
  }
  return groups.map((group) => {
    const [only = "", ...others] = group;
    if (others.length === 0 && !isFirst(only)) return only;
    const imports = group.map((file) => importOf(join(root, file)));
    const text = [importOf(LEFT_BEHIND), importOf(RELEASED_HOOKS), ...imports].join("");
    const name = createHash("sha256").update(text).digest("hex").slice(0, 16);
    const path = join(folder, `${isFirst(only) ? 0 : 1}-${name}.test.mjs`);
    // Another run may be reading it at this moment.
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, text);
    renameSync(draft, path);
    return path;
  });
}

function importOf(path: string): string {
  return `import ${JSON.stringify(pathToFileURL(path).href)};\n`;
}
