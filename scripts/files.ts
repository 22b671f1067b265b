import { readdirSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";

/** The folder that holds the repository. */
export const ROOT = join(import.meta.dirname, "..");

/** Returns every file of the repository, by its path from the root; what .gitignore names is left out. */
export function sourceFiles(root = ROOT): readonly string[] {
  const ignored = [".git", ...ignoredNames(root)];
  return filesBelow(root, "", ignored).toSorted();
}

function filesBelow(root: string, folder: string, ignored: readonly string[]): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !ignored.some((pattern) => matchesGlob(name, pattern)))
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return filesBelow(root, path, ignored);
      return entry.isFile() ? [path] : [];
    });
}

/** Our .gitignore holds plain names, each good in any folder. */
function ignoredNames(root: string): readonly string[] {
  const lines = readFileSync(join(root, ".gitignore"), "utf8").split("\n");
  return lines.map((line) => line.replace(/\/$/u, "")).filter((line) => line !== "");
}
