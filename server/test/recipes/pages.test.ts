import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "../../../scripts/files.ts";
import { readPage, RECIPES_FOLDER } from "./page.ts";

const PAGES = readdirSync(join(ROOT, RECIPES_FOLDER)).filter((name) => name !== "index.md");
const TESTS = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".ts") && name !== "pages.test.ts")
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
  .join("");

test("the index lists exactly the recipes that exist", () => {
  const listed = Array.from(
    readPage("index.md").matchAll(/\]\(([\w-]+\.md)\)/gu),
    ([, name]) => name,
  );
  assert.deepEqual(new Set(listed), new Set(PAGES));
  assert.equal(listed.length, PAGES.length);
});

for (const page of PAGES) {
  test(`tests use the blocks of ${page} in each language`, () => {
    const languages = Array.from(
      readPage(page).matchAll(/^```([a-z-]*)\n[^]*?^```$/gmu),
      ([, name = ""]) => name,
    );
    assert.ok(languages.length > 0);
    for (const language of languages) {
      assert.match(TESTS, new RegExp(`"${page}",\\s*"${language}"`), language);
    }
  });
}
