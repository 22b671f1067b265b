import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** `import … from "./a.ts"`, `export … from "#b/c.ts"`, and side-effect imports. */
const IMPORT = /^(?:import|export)\s[^;]*?["']([.#][^"']+\.ts)["'];/gmu;
/** The folder that `#` stands for, by the server's `imports` in package.json. */
const SERVER_ROOT = "server/src/";

/** Returns the files that import `target` directly or indirectly; paths are relative to the root. */
export function reaching(
  files: readonly string[],
  { root, target }: { readonly root: string; readonly target: string },
): readonly string[] {
  const reachesByFile = new Map<string, boolean>([[target, true]]);
  const reaches = (file: string): boolean => {
    const cached = reachesByFile.get(file);
    if (cached !== undefined) return cached;
    // A cycle that leads back here adds nothing.
    reachesByFile.set(file, false);
    const found = importsOf(root, file).some(reaches);
    reachesByFile.set(file, found);
    return found;
  };
  return files.filter(reaches);
}

function importsOf(root: string, file: string): readonly string[] {
  const path = join(root, file);
  if (!existsSync(path)) return [];
  return Array.from(readFileSync(path, "utf8").matchAll(IMPORT), ([, name = ""]) =>
    name.startsWith("#") ? `${SERVER_ROOT}${name.slice(1)}` : join(dirname(file), name),
  );
}
