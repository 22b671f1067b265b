import { readdirSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";

/** The root folder of the repository. */
export const ROOT = join(import.meta.dirname, "..");

/** Returns every file of the repository by its path from the root, except files that .gitignore names. */
export function listSourceFiles(root = ROOT): readonly string[] {
  const ignored = [".git", ...readIgnoredNames(root)];
  return listFiles(root, "", ignored).toSorted();
}

function listFiles(root: string, folder: string, ignored: readonly string[]): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !ignored.some((pattern) => matchesGlob(name, pattern)))
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return listFiles(root, path, ignored);
      return entry.isFile() ? [path] : [];
    });
}

/** The .gitignore of this repository contains only plain names, which apply in every folder. */
function readIgnoredNames(root: string): readonly string[] {
  const lines = readFileSync(join(root, ".gitignore"), "utf8").split("\n");
  return lines.map((line) => line.replace(/\/$/u, "")).filter((line) => line !== "");
}
