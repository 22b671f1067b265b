import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

/** Where the sources of the page live; each folder's content is served below a path that mirrors it. */
export interface PageFolders {
  /** The workspace of the console: `index.html`, `style.css`, `icons/`, `src/`. */
  readonly consoleDir: string;
  /** The workspace of the SDK, which the page's modules import by relative path. */
  readonly sdkDir: string;
}

/**
 * Returns the JavaScript of a module and of all that it imports, directly or not, by their paths on this server.
 * Throws where an import names no file of the folders, or a file is more than types to strip.
 */
export function loadModules(folders: PageFolders, entry: string): ReadonlyMap<string, string> {
  const modules = new Map<string, string>();
  const waiting = [entry];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (modules.has(path)) continue;
    const code = stripTypeScriptTypes(readFileSync(fileOf(folders, path), "utf8"));
    modules.set(path, code);
    waiting.push(...importsOf(path, code));
  }
  return modules;
}

/** An import by relative path means the same file to the type checker and to the browser. */
function importsOf(path: string, code: string): string[] {
  const matches = code.matchAll(/\b(?:from|import)\s*"(\.[^"]+)"/g);
  return [...matches].map(([, specifier = ""]) => new URL(specifier, `http://x${path}`).pathname);
}

function fileOf({ consoleDir, sdkDir }: PageFolders, path: string): string {
  const [, folder, inside] = /^\/assets\/(console|sdk)\/(.+)$/.exec(path) ?? [];
  if (inside === undefined) throw new Error(`The page imports ${path}, which is not served.`);
  return join(folder === "console" ? consoleDir : sdkDir, inside);
}
