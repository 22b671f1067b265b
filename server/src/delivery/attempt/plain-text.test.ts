import assert from "node:assert/strict";
import { test } from "node:test";
import { plainText } from "./plain-text.ts";

test("Markdown becomes readable plain text", () => {
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

test("a text that is only markup stays unchanged", () => {
  for (const text of ["---", "![](https://example.org/a.png)", "```\n```"]) {
    assert.equal(plainText(text), text);
  }
});

test("a long text is cut to more than a push can hold", () => {
  const text = plainText(`**a** ${"b".repeat(8_185)}🦊${"c".repeat(20_000)}`);
  assert.equal(text, `a ${"b".repeat(8_185)}…`);
});

test("the longest text of any kind is rendered in 1.5 seconds", () => {
  const parts = [
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
  for (const part of parts) {
    const started = performance.now();
    plainText(part.repeat(Math.ceil(32_768 / part.length)).slice(0, 32_768));
    const tookMs = performance.now() - started;
    assert.ok(tookMs < 1_500, `${part}: ${tookMs} ms`);
  }
});
