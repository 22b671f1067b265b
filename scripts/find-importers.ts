import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Matches `import … from "./a.ts"`, `export … from "#b/c.ts"`, and side-effect imports. */
const IMPORT_PATTERN = /^(?:import|export)\s[^;]*?["']([.#][^"']+\.ts)["'];/gmu;
/** The folder that `#` stands for, by the server's `imports` in package.json. */
const SERVER_ROOT = "server/src/";

/**
 * Returns the files that import `target` directly or indirectly, and `target` itself; paths are relative to the root.
 */
export function findImporters(
  files: readonly string[],
  { root, target }: { readonly root: string; readonly target: string },
): readonly string[] {
  const resultByFile = new Map<string, boolean>([[target, true]]);
  const importsTarget = (file: string): boolean => {
    const cachedResult = resultByFile.get(file);
    if (cachedResult !== undefined) return cachedResult;
    // A cycle that leads back here adds nothing.
    resultByFile.set(file, false);
    const isImporter = listImports(root, file).some(importsTarget);
    resultByFile.set(file, isImporter);
    return isImporter;
  };
  return files.filter(importsTarget);
}

function listImports(root: string, file: string): readonly string[] {
  const path = join(root, file);
  if (!existsSync(path)) return [];
  return Array.from(readFileSync(path, "utf8").matchAll(IMPORT_PATTERN), ([, name = ""]) =>
    name.startsWith("#") ? `${SERVER_ROOT}${name.slice(1)}` : join(dirname(file), name),
  );
}
