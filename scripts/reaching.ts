import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** `import … from "./a.ts"`, `export … from "#b/c.ts"`, and imports for their effects. */
const IMPORT = /^(?:import|export)\s[^;]*?["']([.#][^"']+\.ts)["'];/gmu;
/** The server's own `imports` of package.json. */
const SERVER_ROOT = "server/src/";

/** Returns which of the files import `target`, by themselves or through others; paths are from the root. */
export function reaching(
  files: readonly string[],
  { root, target }: { readonly root: string; readonly target: string },
): readonly string[] {
  const known = new Map<string, boolean>([[target, true]]);
  const reaches = (file: string): boolean => {
    const before = known.get(file);
    if (before !== undefined) return before;
    // A cycle that leads back here adds nothing.
    known.set(file, false);
    const found = importsOf(root, file).some(reaches);
    known.set(file, found);
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
