import type { Fence } from "./fences.ts";

/** A block that a test takes from a page, by `blockOf(page, language, text)`. */
export interface Claim {
  readonly test: string;
  readonly page: string;
  readonly language: string;
  /** "" where the page has one block of the language. */
  readonly containing: string;
}

const CALL = /\bblockOf\(\s*"([^"]+\.md)",\s*"([^"]*)"(?:,\s*(?:"((?:[^"\\]|\\.)*)"|(\w+)))?/gu;

/** Returns the blocks that a test, or what it shares with others, takes. */
export function claimsOf(test: string, text: string): readonly Claim[] {
  return [...text.matchAll(CALL)].map(([, page = "", language = "", literal, name]) => ({
    test,
    page,
    language,
    containing:
      literal === undefined ? constantOf(name, text) : (JSON.parse(`"${literal}"`) as string),
  }));
}

/** Says whether a test takes this block. */
export function isClaimed({ file, language, text }: Fence, claims: readonly Claim[]): boolean {
  return claims.some(
    (claim) =>
      (file === claim.page || file.endsWith(`/${claim.page}`)) &&
      language === claim.language &&
      text.includes(claim.containing),
  );
}

function constantOf(name: string | undefined, text: string): string {
  if (name === undefined) return "";
  return new RegExp(`const ${name} = "([^"]*)"`, "u").exec(text)?.[1] ?? "";
}
