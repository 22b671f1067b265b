import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** How test files are divided into processes. */
export interface GroupOptions {
  /** The maximum number of files per process. */
  readonly size: number;
  /** Returns whether a file needs its own process. */
  readonly needsOwnProcess: (file: string) => boolean;
  /** Returns whether a file starts before all others. */
  readonly isFirst: (file: string) => boolean;
  /** The folder that the paths of the files are relative to. */
  readonly root: string;
  /** Receives one file per group, named by its content, so that several runs may share the folder. */
  readonly folder: string;
}

/** The module that ends a process with leftover resources of tests. */
const END_LEFTOVER_PROCESS = join(import.meta.dirname, "end-leftover-process.mjs");
/** The module that releases the memory of finished tests. */
const RELEASED_HOOKS = join(import.meta.dirname, "released-hooks.mjs");

/**
 * Returns the files for the test runner, in the given order. A file of a group imports several test files, because the
 * runner starts one process per file, and loading the server takes half of the time of a test file. The runner starts
 * files in the order of their paths, and the paths of groups come before the paths of the repository.
 */
export function groupTests(files: readonly string[], options: GroupOptions): readonly string[] {
  const { size, needsOwnProcess, isFirst, root, folder } = options;
  mkdirSync(folder, { recursive: true });
  const isUngrouped = (file: string) => needsOwnProcess(file) || isFirst(file);
  const groups: string[][] = [];
  for (const file of files) {
    const currentGroup = groups.at(-1);
    const [firstFile = ""] = currentGroup ?? [];
    const needsNewGroup =
      currentGroup === undefined ||
      currentGroup.length >= size ||
      isUngrouped(firstFile) ||
      isUngrouped(file);
    if (needsNewGroup) groups.push([file]);
    else currentGroup.push(file);
  }
  return groups.map((group) => {
    const [firstFile = "", ...others] = group;
    if (others.length === 0 && !isFirst(firstFile)) return firstFile;
    const imports = group.map((file) => formatImport(join(root, file)));
    const text = [
      formatImport(END_LEFTOVER_PROCESS),
      formatImport(RELEASED_HOOKS),
      ...imports,
    ].join("");
    const name = createHash("sha256").update(text).digest("hex").slice(0, 16);
    const path = join(folder, `${isFirst(firstFile) ? 0 : 1}-${name}.test.mjs`);
    // Another run may be reading the file now.
    const temporaryPath = `${path}.${process.pid}`;
    writeFileSync(temporaryPath, text);
    renameSync(temporaryPath, path);
    return path;
  });
}

function formatImport(path: string): string {
  return `import ${JSON.stringify(pathToFileURL(path).href)};\n`;
}
