import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export interface GroupOptions {
  /** Files of one process at most. */
  readonly size: number;
  /** True for a file that needs a process of its own. */
  readonly isAlone: (file: string) => boolean;
  /** What the paths of the files begin at. */
  readonly root: string;
  /** Gets a file for each group, by the name of what it holds: several runs may share it. */
  readonly folder: string;
}

/**
 * Returns files for the test runner, in the order of those given, of which some stand for several: the runner gives each file a
 * process, and half of what a test file costs is to load the server.
 */
export function groupTests(files: readonly string[], options: GroupOptions): readonly string[] {
  const { size, isAlone, root, folder } = options;
  mkdirSync(folder, { recursive: true });
  const groups: string[][] = [];
  for (const file of files) {
    const last = groups.at(-1);
    const [first = ""] = last ?? [];
    const isFull = last === undefined || last.length >= size || isAlone(first);
    if (isFull || isAlone(file)) groups.push([file]);
    else last.push(file);
  }
  return groups.map((group) => {
    const [only = "", ...others] = group;
    if (others.length === 0) return only;
    const imports = group.map((file) => {
      return `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`;
    });
    const text = imports.join("");
    const name = createHash("sha256").update(text).digest("hex").slice(0, 16);
    const path = join(folder, `${name}.test.mjs`);
    // Another run may be reading it at this moment.
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, text);
    renameSync(draft, path);
    return path;
  });
}
