import type { CodeBlock } from "./code-blocks.ts";

/** A block of a page that a test runs. The test finds it by `findBlock(page, language, text)`. */
export interface TestedBlock {
  readonly test: string;
  readonly page: string;
  readonly language: string;
  /** A text in the block; "" if the page has only one block of the language. */
  readonly containing: string;
}

const FIND_BLOCK_CALL =
  /\bfindBlock\(\s*"([^"]+\.md)",\s*"([^"]*)"(?:,\s*(?:"((?:[^"\\]|\\.)*)"|(\w+)))?/gu;

/** Returns the blocks that a test or a test support file runs. */
export function findTestedBlocks(test: string, text: string): readonly TestedBlock[] {
  return [...text.matchAll(FIND_BLOCK_CALL)].map(([, page = "", language = "", literal, name]) => ({
    test,
    page,
    language,
    containing:
      literal === undefined ? readConstant(name, text) : (JSON.parse(`"${literal}"`) as string),
  }));
}

/** Returns whether a test runs this block. */
export function isTested(
  { file, language, text }: CodeBlock,
  testedBlocks: readonly TestedBlock[],
): boolean {
  return testedBlocks.some(
    (block) =>
      (file === block.page || file.endsWith(`/${block.page}`)) &&
      language === block.language &&
      text.includes(block.containing),
  );
}

function readConstant(name: string | undefined, text: string): string {
  if (name === undefined) return "";
  return new RegExp(`const ${name} = "([^"]*)"`, "u").exec(text)?.[1] ?? "";
}
