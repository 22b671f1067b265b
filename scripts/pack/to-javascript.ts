import { stripTypeScriptTypes } from "node:module";

/**
 * Returns a TypeScript file as JavaScript. Types become spaces, so that stack traces keep their positions; relative
 * imports of `.ts` files end in `.js`.
 */
export function toJavascript(source: string): string {
  return rewriteTsSpecifiers(stripTypeScriptTypes(source, { mode: "strip" }));
}

/** Rewrites relative module specifiers and URLs from `.ts` to `.js`. */
export function rewriteTsSpecifiers(text: string): string {
  return text.replaceAll(RELATIVE_TS_SPECIFIER, "$<prefix>$<path>.js$<quote>");
}

/** `from "./a.ts"`, `import("./a.ts")` and `new URL("./a.ts", …)`. */
const RELATIVE_TS_SPECIFIER =
  /(?<prefix>(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*(?<quote>["']))(?<path>\.{1,2}\/[^"'\n]+)\.ts\k<quote>/g;
