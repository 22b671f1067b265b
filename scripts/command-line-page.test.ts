import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { DESCRIPTIONS } from "../cli/src/descriptions.ts";
import { COMMAND_LINE_PAGE, commandLinePage, withHelps } from "./command-line-page.ts";
import { ROOT } from "./files.ts";

const PAGE = readFileSync(join(ROOT, COMMAND_LINE_PAGE), "utf8");

test("the page on the command line shows the current help of every command", async () => {
  assert.equal(await commandLinePage(), PAGE);
});

test("the page names every option, and no unknown option", () => {
  const options = DESCRIPTIONS.flatMap(({ options }) => Object.keys(options));
  const known = new Set(["help", "version", ...options]);
  const named = new Set(
    Array.from(PAGE.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g), ([, name]) => name),
  );
  assert.deepEqual(named.symmetricDifference(known), new Set());
});

test("a command without a block and a block without a command are refused", () => {
  const block = (line: string) => `# Page\n\n\`\`\`text\n$ ${line}\nold\n\`\`\`\n`;
  const helps = new Map([["tocsin send --help", "new"]]);
  assert.equal(
    withHelps(block("tocsin send --help"), helps),
    block("tocsin send --help").replace("old", "new"),
  );
  assert.throws(() => withHelps("# Page\n", helps), /lacks a block with: tocsin send --help/);
  assert.throws(() => withHelps(block("tocsin sned --help"), helps), /"tocsin sned --help"/);
});
