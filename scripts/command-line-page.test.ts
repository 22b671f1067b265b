import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { DESCRIPTIONS } from "../cli/src/descriptions.ts";
import { COMMAND_LINE_PAGE, renderCommandLinePage, updateHelpBlocks } from "./command-line-page.ts";
import { ROOT } from "./files.ts";

const PAGE_TEXT = readFileSync(join(ROOT, COMMAND_LINE_PAGE), "utf8");

test("the page on the command line shows the current help of every command", async () => {
  assert.equal(await renderCommandLinePage(), PAGE_TEXT);
});

test("the page names every option, and no unknown option", () => {
  const options = DESCRIPTIONS.flatMap(({ options }) => Object.keys(options));
  const existingOptions = new Set(["help", "version", ...options]);
  const namedOptions = new Set(
    Array.from(PAGE_TEXT.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g), ([, name]) => name),
  );
  assert.deepEqual(namedOptions.symmetricDifference(existingOptions), new Set());
});

test("a block gets the current help; a command without a block, or a block without a command, is refused", () => {
  const createBlock = (line: string) => `# Page\n\n\`\`\`text\n$ ${line}\nold\n\`\`\`\n`;
  const helpByCommand = new Map([["tocsin send --help", "new"]]);
  assert.equal(
    updateHelpBlocks(createBlock("tocsin send --help"), helpByCommand),
    createBlock("tocsin send --help").replace("old", "new"),
  );
  assert.throws(
    () => updateHelpBlocks("# Page\n", helpByCommand),
    /lacks a block with: tocsin send --help/,
  );
  assert.throws(
    () => updateHelpBlocks(createBlock("tocsin sned --help"), helpByCommand),
    /"tocsin sned --help"/,
  );
});
