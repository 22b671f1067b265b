import { stripTypeScriptTypes } from "node:module";

/**
 * Returns a TypeScript file as JavaScript: types become spaces, so that places in stack traces stay, and what names a file of its
 * own package names the JavaScript of it.
 */
export function javascriptOf(source: string): string {
  return namingJavascript(stripTypeScriptTypes(source, { mode: "strip" }));
}

/** Returns a text in which imports and addresses of modules, by relative path, end in `.js` where they ended in `.ts`. */
export function namingJavascript(text: string): string {
  return text.replaceAll(OWN_FILE, "$<before>$<path>.js$<quote>");
}

/** `from "./a.ts"`, `import("./a.ts")` and `new URL("./a.ts", …)`. */
const OWN_FILE =
  /(?<before>(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*(?<quote>["']))(?<path>\.{1,2}\/[^"'\n]+)\.ts\k<quote>/g;
