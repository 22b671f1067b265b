import type { Fence } from "./fences.ts";

/** A block of a page that a test runs, found by `blockOf(page, language, text)`. */
export interface Claim {
  readonly test: string;
  readonly page: string;
  readonly language: string;
  /** "" if the page has only one block of the language. */
  readonly containing: string;
}

const CALL = /\bblockOf\(\s*"([^"]+\.md)",\s*"([^"]*)"(?:,\s*(?:"((?:[^"\\]|\\.)*)"|(\w+)))?/gu;

/** Returns the blocks that a test or a test support file runs. */
export function findClaims(test: string, text: string): readonly Claim[] {
  return [...text.matchAll(CALL)].map(([, page = "", language = "", literal, name]) => ({
    test,
    page,
    language,
    containing:
      literal === undefined ? readConstant(name, text) : (JSON.parse(`"${literal}"`) as string),
  }));
}

/** Returns whether a test runs this block. */
export function isClaimed({ file, language, text }: Fence, claims: readonly Claim[]): boolean {
  return claims.some(
    (claim) =>
      (file === claim.page || file.endsWith(`/${claim.page}`)) &&
      language === claim.language &&
      text.includes(claim.containing),
  );
}

function readConstant(name: string | undefined, text: string): string {
  if (name === undefined) return "";
  return new RegExp(`const ${name} = "([^"]*)"`, "u").exec(text)?.[1] ?? "";
}
