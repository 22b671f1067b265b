import assert from "node:assert/strict";
import { test } from "node:test";
import { plainText } from "./plain-text.ts";

test("Markdown without its marks reads as a person would write it", () => {
  const texts = [
    ["**Disk** _full_ on `db-1`, ~~again~~", "Disk full on db-1, again"],
    ["# Backup\n\n3 files\nin 2 minutes", "Backup\n3 files\nin 2 minutes"],
    ["- one\n- two\n  1. deep\n  2. deeper", "• one\n• two\n  1. deep\n  2. deeper"],
    ["3. three\n4. four", "3. three\n4. four"],
    ["see [the wiki](https://wiki.example.org/a?b=c)", "see the wiki"],
    ["<https://example.org> ![a chart](https://example.org/a.png)", "https://example.org a chart"],
    ["```sh\ndf -h\n  | head\n```\nafter", "df -h\n  | head\nafter"],
    ["| disk | used |\n|---|---|\n| sda | 98 % |", "disk | used\nsda | 98 %"],
    ["> quoted\n> twice", "quoted\ntwice"],
    ["<b>no HTML</b> & <script>", "<b>no HTML</b> & <script>"],
    ["snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4"],
  ];
  for (const [markdown = "", plain] of texts) assert.equal(plainText(markdown), plain, markdown);
});

test("a text of marks alone stays as it is", () => {
  for (const text of ["---", "![](https://example.org/a.png)", "```\n```"]) {
    assert.equal(plainText(text), text);
  }
});

test("of a long text, the beginning is read, which is more than a push has room for", () => {
  const text = plainText(`**a** ${"b".repeat(8_185)}🦊${"c".repeat(20_000)}`);
  assert.equal(text, `a ${"b".repeat(8_185)}…`);
});

test("no text of the longest kind keeps the server from its work", () => {
  const deps = [
    "[",
    "![",
    "*a_",
    "> ",
    "`",
    "<a",
    "- ",
    "**a ",
    "[a](",
    "&#",
    "|",
    "1. ",
    "\\",
    "~~a",
    "[]: ",
    "(a@b",
    "\t- ",
  ];
  for (const part of deps) {
    const started = performance.now();
    plainText(part.repeat(Math.ceil(32_768 / part.length)).slice(0, 32_768));
    const took = performance.now() - started;
    assert.ok(took < 1_500, `${part}: ${took} ms`);
  }
});
