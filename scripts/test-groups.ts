import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export interface GroupOptions {
  /** The maximum number of files per process. */
  readonly size: number;
  /** Whether a file needs its own process. */
  readonly isAlone: (file: string) => boolean;
  /** Whether a file starts before all others. */
  readonly isFirst: (file: string) => boolean;
  /** The folder that the paths of the files are relative to. */
  readonly root: string;
  /** Receives one file per group, named by its content, so that several runs may share the folder. */
  readonly folder: string;
}

/** Ends a process that its tests would keep running. */
const LEFT_BEHIND = join(import.meta.dirname, "left-behind.mjs");
/** Keeps memory constant for any number of tests in a process. */
const RELEASED_HOOKS = join(import.meta.dirname, "released-hooks.mjs");

/**
 * Returns files for the test runner, in the given order; some import several test files. The runner starts one process per
 * file, and loading the server takes half of the time of a test file. The runner starts files in the order of their paths, and
 * the paths of groups come before those of the repository.
 */
export function groupTests(files: readonly string[], options: GroupOptions): readonly string[] {
  const { size, isAlone, isFirst, root, folder } = options;
  mkdirSync(folder, { recursive: true });
  const isUngrouped = (file: string) => isAlone(file) || isFirst(file);
  const groups: string[][] = [];
  for (const file of files) {
    const last = groups.at(-1);
    const [first = ""] = last ?? [];
    const isFull = last === undefined || last.length >= size || isUngrouped(first);
    if (isFull || isUngrouped(file)) groups.push([file]);
    else last.push(file);
  }
  return groups.map((group) => {
    const [only = "", ...others] = group;
    if (others.length === 0 && !isFirst(only)) return only;
    const imports = group.map((file) => importStatement(join(root, file)));
    const text = [importStatement(LEFT_BEHIND), importStatement(RELEASED_HOOKS), ...imports].join(
      "",
    );
    const name = createHash("sha256").update(text).digest("hex").slice(0, 16);
    const path = join(folder, `${isFirst(only) ? 0 : 1}-${name}.test.mjs`);
    // Another run may be reading the file now.
    const temporaryPath = `${path}.${process.pid}`;
    writeFileSync(temporaryPath, text);
    renameSync(temporaryPath, path);
    return path;
  });
}

function importStatement(path: string): string {
  return `import ${JSON.stringify(pathToFileURL(path).href)};\n`;
}
