import assert from "node:assert/strict";
import { test } from "node:test";
import { toPlainText } from "./plain-text.ts";

/** Maximum length of a notification's body, in characters. */
const TEXT_MAX = 32_768;

test("Markdown becomes readable plain text", () => {
  const cases = [
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
    ["a\n\n[db-1]: down\n\nb", "a\n[db-1]: down\nb"],
    ["snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4"],
  ];
  for (const [markdown = "", plain] of cases) assert.equal(toPlainText(markdown), plain, markdown);
});

test("a text that consists only of markup stays unchanged", () => {
  for (const text of ["---", "![](https://example.org/a.png)", "```\n```"]) {
    assert.equal(toPlainText(text), text);
  }
});

test("no text of deeply nested quotes and lists is lost", () => {
  for (const marker of ["> ", "- ", "1. ", "> - "]) {
    for (let depth = 1; depth <= 120; depth += 1) {
      const plain = toPlainText(`before\n\n${marker.repeat(depth)}deep\n\nafter`);
      assert.match(plain, /^before\n.*deep\nafter$/s, `${depth} times ${marker}`);
    }
  }
});

test("a long text is cut, but stays longer than a push can hold", () => {
  // The cut after 8,192 characters would divide the fox, which has two.
  const text = toPlainText(`**a** ${"b".repeat(8_185)}🦊${"c".repeat(20_000)}`);
  assert.equal(text, `a ${"b".repeat(8_185)}…`);
});

test("a text of maximum length that repeats markup becomes plain text within 1.5 seconds", () => {
  const markupFragments = [
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
  for (const fragment of markupFragments) {
    const startedAt = performance.now();
    toPlainText(fragment.repeat(Math.ceil(TEXT_MAX / fragment.length)).slice(0, TEXT_MAX));
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs < 1_500, `${fragment}: ${tookMs} ms`);
  }
});
